%% The last calls of a process, which it saves when it is told to.
-module(saved_calls).
-export([main/0, named/1, waits/0]).

main() ->
    see:value(off, process_info(self(), last_calls)),
    see:value(before, process_flag(save_calls, 5)),
    see:value(none, own()),
    named(1),
    ?MODULE:named(2),
    self() ! message,
    receive message -> ok end,
    receive nothing -> ok after 0 -> ok end,
    see:value(five, own()),
    see:value(before, process_flag(save_calls, 3)),
    work(),
    see:value(three, own()),
    Bifs = process_flag(save_calls, 100),
    _ = lists:map(fun(X) -> X end, [1, 2]),
    _ = apply(?MODULE, named, [1]),
    _ = (fun ?MODULE:named/1)(3),
    _ = (catch ?MODULE:none(1)),
    {error, {Why, _}} = erlang:load_nif("/nowhere", 0),
    see:value(load_nif, Why),
    {last_calls, Calls} = process_info(self(), last_calls),
    see:value(Bifs, [Call || Call <- Calls, known(Call)]),
    [see:that(Bad, fun() -> process_flag(save_calls, Bad) end) || Bad <- [-1, 10001, a, 1 bsl 70]],
    see:value(off, process_flag(save_calls, 0)),
    see:value(off, process_info(self(), last_calls)),
    of_another(),
    with_tracing().

known({lists, map, 2}) -> true;
known({erlang, apply, 3}) -> false;
known({?MODULE, _, _}) -> true;
known(_) -> false.

%% What concerns this module and its messages; between these programs call others, which is left out.
own() -> {last_calls, Calls} = process_info(self(), last_calls), [Call || Call <- Calls, is_own(Call)].

is_own({?MODULE, _, _}) -> true;
is_own({_, _, _}) -> false;
is_own(_) -> true.

named(X) -> X.

work() -> [?MODULE:named(X) || X <- lists:seq(1, 5)].

waits() -> receive {From, go} -> ?MODULE:named(1), From ! went, waits(); stop -> ok end.

of_another() ->
    Pid = spawn(?MODULE, waits, []),
    see:value(before, erlang:process_flag(Pid, save_calls, 10)),
    Pid ! {self(), go},
    receive went -> ok end,
    {last_calls, Calls} = process_info(Pid, last_calls),
    see:value(other, [Call || Call <- Calls, is_own(Call)]),
    see:that(bad, fun() -> erlang:process_flag(Pid, save_calls, a) end),
    see:that(other_flag, fun() -> erlang:process_flag(Pid, trap_exit, true) end),
    see:value(before, erlang:process_flag(Pid, save_calls, 0)),
    see:value(off, process_info(Pid, last_calls)),
    Pid ! stop.

%% Calls of other processes go on as before, traced or not.
with_tracing() ->
    process_flag(save_calls, 4),
    erlang:trace_pattern({?MODULE, named, 1}, true, []),
    see:value(traced, erlang:trace_info({?MODULE, named, 1}, traced)),
    erlang:trace(self(), true, [call]),
    ?MODULE:named(7),
    erlang:trace(self(), false, [call]),
    see:value(info, [erlang:trace_info({lists, map, 2}, all), erlang:trace_info({?MODULE, waits, 0}, traced)]),
    erlang:trace_pattern({?MODULE, named, 1}, false, []),
    ?MODULE:named(8),
    see:value(saved, [Call || {?MODULE, named, 1} = Call <- element(2, process_info(self(), last_calls))]),
    process_flag(save_calls, 0),
    see:value(untraced, erlang:trace_info({?MODULE, named, 1}, traced)),
    ?MODULE:named(9).
