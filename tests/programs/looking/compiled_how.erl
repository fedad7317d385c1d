%% What system_info(compile_info) has, which system_information of runtime_tools writes down.
-module(compiled_how).
-export([main/0]).

main() ->
    see:value("parts", [{Part, io_lib:char_list(Text)} || {Part, Text} <- erlang:system_info(compile_info)]).
