%% The code of a module in a binary that begins within a byte, in a part of another, and in one that is no whole bytes.
-module(unaligned_code).
-export([main/0]).

main() ->
    {ok, Code} = file:read_file(code:which(?MODULE)),
    Size = byte_size(Code),
    <<_:5, Unaligned:Size/binary, _/bits>> = see:id(<<0:5, Code/binary, 7:3>>),
    <<_:16, Part:Size/binary, _/binary>> = see:id(<<"ab", Code/binary, "c">>),
    Bits = <<Code/binary, 1:1>>,
    Forms = [{whole, Code}, {unaligned, Unaligned}, {part, Part}, {bits, Bits}, {no_code, <<"no code">>},
        {list, binary_to_list(Code)}],
    [see:value({chunk, Name},
        result(fun() -> code:get_chunk(C, "Atom") =:= undefined orelse is_binary(code:get_chunk(C, "AtU8")) end))
        || {Name, C} <- Forms],
    [see:value({same_chunk, Name}, result(fun() -> code:get_chunk(C, "Code") =:= code:get_chunk(Code, "Code") end))
        || {Name, C} <- Forms],
    [see:value({md5, Name}, result(fun() -> code:module_md5(C) =:= ?MODULE:module_info(md5) end))
        || {Name, C} <- Forms],
    [see:value({load, Name}, result(fun() -> is_reference(erlang:prepare_loading(?MODULE, C)) end))
        || {Name, C} <- Forms, Name =/= no_code].

result(Fun) -> try Fun() catch error:R -> R end.
