%% Every module of stdlib, kernel and the compiler, compiled from the debug information in its own file: the compiler
%% must write the same bytes on both machines. A line for each module, so that a difference names it.
%% timeout: 900
-module(recompiled).
-export([main/0]).

main() ->
    lists:foreach(fun application/1, [stdlib, kernel, compiler]).

%% Modules are compiled by as many processes as there are schedulers, and told in the order of their names.
application(Application) ->
    Files = lists:sort(filelib:wildcard(filename:join(code:lib_dir(Application, ebin), "*.beam"))),
    see:value(Application, length(Files)),
    {Now, Later} = lists:split(min(erlang:system_info(schedulers_online), length(Files)), Files),
    told([started(File) || File <- Now], Later).

told([], []) -> ok;
told([{Name, Worker, Watch} | Running], Later) ->
    receive
        {Worker, Told} -> erlang:demonitor(Watch, [flush]), see:value(Name, Told);
        {'DOWN', Watch, process, Worker, Reason} -> see:value(Name, {ended, Reason})
    end,
    case Later of
        [File | Rest] -> told(Running ++ [started(File)], Rest);
        [] -> told(Running, [])
    end.

started(File) ->
    To = self(),
    {Worker, Watch} = spawn_monitor(fun() -> To ! {self(), compiled(File)} end),
    {filename:basename(File, ".beam"), Worker, Watch}.

%% How many bytes the module has, and their digest.
compiled(File) ->
    case beam_lib:chunks(File, [abstract_code, compile_info]) of
        {ok, {Module, [{abstract_code, {raw_abstract_v1, Forms}}, {compile_info, Info}]}} ->
            Options = [deterministic, return | proplists:get_value(options, Info, [])] -- [warnings_as_errors],
            case compile:noenv_forms(Forms, Options) of
                {ok, Module, Code, _} -> {byte_size(Code), digest(Code)};
                {error, Errors, _} -> {error, Errors}
            end;
        _ -> no_debug_information
    end.

digest(Code) -> lists:flatten([io_lib:format("~2.16.0b", [Byte]) || <<Byte>> <= erlang:md5(Code)]).
