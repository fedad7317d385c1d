%% Persistent terms and modules that are replaced by larger and larger ones: what the former ones took serves the next,
%% and is given back when the last is gone.
%% timeout: 180
-module(growing_areas).
-export([main/0]).

main() ->
    Before = held(),
    [terms(I) || I <- lists:seq(1, 250)],
    see:value(terms, limit(Before, 130)),
    persistent_term:erase(?MODULE),
    see:value(erased, limit(Before, 60)),
    Between = held(),
    Forms = forms(),
    [modules(I, Forms) || I <- lists:seq(1, 40)],
    code:delete(growing), code:purge(growing),
    see:value(modules, limit(Between, 60)).

terms(I) ->
    persistent_term:put(?MODULE, lists:seq(1, I * 1024)),
    idle().

%% A module with a list of constants, each time a longer one.
modules(I, Forms) ->
    Literal = lists:seq(1, I * 8000),
    {ok, growing, Code} = compile:forms(Forms(Literal), [from_asm, binary]),
    {module, growing} = code:load_binary(growing, "growing", Code),
    true = growing:value() =:= Literal,
    code:purge(growing),
    idle().

forms() ->
    % From OTP 29 on annotations stand before the functions.
    Complete = case list_to_integer(erlang:system_info(otp_release)) >= 29 of
        true -> fun(Code) -> erlang:insert_element(4, Code, #{}) end;
        false -> fun(Code) -> Code end
    end,
    fun(Literal) ->
        Complete({growing, [{value, 0}], [], [{function, value, 0, 2,
            [{label, 1}, {line, []}, {func_info, {atom, growing}, {atom, value}, 0}, {label, 2},
                {move, {literal, Literal}, {x, 0}}, return]}], 3})
    end.

%% Returns when what was removed before has been collected: the collector of literals takes one area after the other.
idle() ->
    Collector = whereis_collector(),
    apart:wait(fun() -> process_info(Collector, [status, message_queue_len]) end,
        [{status, waiting}, {message_queue_len, 0}], 400).

whereis_collector() ->
    case get(collector) of
        undefined ->
            [Pid | _] = [P || P <- processes(),
                {_, {erts_literal_area_collector, _, _}} <- [process_info(P, current_function)]],
            put(collector, Pid), Pid;
        Pid -> Pid
    end.

%% Whether fewer than so many megabytes more are held than before.
limit(Before, Megabytes) ->
    apart:wait(fun() -> erlang:garbage_collect(), case held() - Before of More when More < Megabytes -> less;
        More -> {more, More} end end, less, 100).

held() ->
    {ok, Status} = file:read_file("/proc/self/status"),
    {match, [Kilobytes]} = re:run(Status, "VmRSS:\\s+(\\d+)", [{capture, all_but_first, list}]),
    list_to_integer(Kilobytes) div 1024.
