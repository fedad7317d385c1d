%% Calls of native functions that go on elsewhere or later, that are interrupted by the end of their process, and what a
%% library waits for with the machine's own poll.
%% needs: erl_nif.h
-module(calls).
-export([main/0, init/0, count_down/2, thread_type/0, thread_type_cpu/0, thread_type_io/0, raise_now/1, raise_cpu/1,
    raise_later/1,
         bad_later/1, consume/0, sum/3, sleep_ms/1, make_pipe/0, read_end/1, write_end/2, select_end/3, queue/2]).
-on_load(init/0).

-define(READ, 1).
-define(WRITE, 2).
-define(STOP, 4).
-define(CANCEL, 8).

init() -> erlang:load_nif(filename:rootname(code:which(?MODULE)), 0).

main() ->
    see:value("where", {thread_type(), thread_type_cpu(), thread_type_io()}),
    see:value("by turns", count_down(10, [])),
    see:value("many turns", length(count_down(3000, []))),
    [see:that(Raise, fun() -> ?MODULE:Raise({reason, "text"}) end) || Raise <- [raise_now, raise_cpu, raise_later]],
    see:that("bad flags", fun() -> bad_later(a) end),
    see:that("bad argument", fun() -> sum(a, b, c) end),
    see:value("tail call", catch_in_tail()),
    see:value("slice", consume()),
    see:value("sum", [sum(1, N, 0) =:= N * (N + 1) div 2 || N <- [1, 1000, 1_000_000, 30_000_000]]),
    fairness(),
    ends(),
    pipes(),
    see:value("queue", [queue(List, Part)
        || List <- [[], [<<"abc">>], [<<"abc">>, <<"defgh">>, [<<"i">>], binary:copy(<<"j">>, 100)]],
    Part <- [1, 4, 1000]]),
    see:value("no queue", [queue(List, 1) || List <- [a, [a], [1 | 2]]]).

catch_in_tail() ->
    try raise_now(tail)
    catch error:tail:Stack -> [{Module, Function} || {Module, Function, _, _} <- lists:sublist(Stack, 1)]
    end.

%% Others run while a long sum goes on, on one scheduler too.
fairness() ->
    Self = self(),
    Pid = spawn_opt(fun() -> Self ! {self(), sum(1, 100_000_000, 0)} end, [{scheduler, 1}]),
    Ticker = spawn_opt(fun() -> tick(Self, 20) end, [{scheduler, 1}]),
    see:value("first", receive {Who, _} when Who =:= Pid; Who =:= Ticker -> Who =:= Ticker end),
    see:value("then", receive {Pid, Sum} -> Sum end).

tick(To, 0) -> To ! {self(), done};
tick(To, N) -> receive after 1 -> tick(To, N - 1) end.

%% What a process that is asked to end does after its dirty call is nothing.
ends() ->
    see:value("alive", sleep_ms(10)),
    {Pid, Monitor} = spawn_monitor(fun() -> _ = sleep_ms(100), exit(returned) end),
    exit(Pid, asked),
    see:value("asked", receive {'DOWN', Monitor, process, Pid, Reason} -> Reason end).

pipes() ->
    {Read, Write} = make_pipe(),
    see:value("empty", read_end(Read)),
    Reference = make_ref(),
    see:value("select", select_end(Read, ?READ, Reference)),
    see:value("written", write_end(Write, <<"hello">>)),
    see:value("ready", receive {select, Read, Reference, Kind} -> Kind after 5000 -> none end),
    see:value("read", {read_end(Read), read_end(Read)}),
    see:value("no more", receive Any -> Any after 50 -> none end),
    see:value("undefined", {select_end(Read, ?READ, undefined), write_end(Write, <<"again">>),
                            receive {select, Read, undefined, Kind2} -> Kind2 after 5000 -> none end, read_end(Read)}),
    see:value("write", {select_end(Write, ?WRITE, undefined), receive {select, Write, undefined, Kind3} -> Kind3
        after 5000 -> none end}),
    see:value("own message", {select_end(Read, ?READ, {my, "message"}), write_end(Write, <<"more">>),
                              receive {my, Text} -> Text after 5000 -> none end, read_end(Read)}),
    see:value("cancelled", {select_end(Read, ?READ, undefined), select_end(Read, ?READ bor ?CANCEL, undefined),
                            select_end(Read, ?READ bor ?CANCEL, undefined), write_end(Write, <<"lost">>),
                            receive {select, Read, _, _} -> told after 100 -> none end}),
    see:value("stop", {select_end(Read, ?STOP, undefined) band 1, receive {stopped, Which} -> Which after 5000 -> none
        end}),
    see:value("closed", write_end(Write, <<"nobody reads">>)),
    see:value("stop the other", {select_end(Write, ?STOP, undefined) band 1,
        receive {stopped, Which2} -> Which2 after 5000 -> none end}),
    %% While one waits for it.
    {Read2, Write2} = make_pipe(),
    0 = select_end(Read2, ?READ, undefined),
    see:value("stopped while waiting", {select_end(Read2, ?STOP, undefined) band 3 > 0,
        receive {stopped, Which3} -> Which3 after 5000 -> none end}),
    %% By another process.
    Self = self(),
    {Read3, Write3} = make_pipe(),
    Waiter = spawn(fun() -> 0 = select_end(Read3, ?READ, undefined), Self ! waits,
        receive {select, Read3, _, Ready} -> Self ! {self(), Ready, read_end(Read3)} end end),
    receive waits -> ok end,
    4 = write_end(Write3, <<"both">>),
    see:value("another process", receive {Waiter, Ready, Bytes} -> {Ready, Bytes} after 5000 -> none end),
    [begin select_end(End, ?STOP, undefined), receive {stopped, right} -> ok after 5000 -> none end
        end || End <- [Write2, Read3, Write3]],
    many_pipes().

many_pipes() ->
    Pipes = [make_pipe() || _ <- lists:seq(1, 100)],
    [0 = select_end(Read, ?READ, undefined) || {Read, _} <- Pipes],
    [1 = write_end(Write, <<"x">>) || {_, Write} <- Pipes],
    see:value("a hundred",
        length([ok || {Read, _} <- Pipes, receive {select, Read, _, ready_input} -> true after 5000 -> false end])),
    [select_end(End, ?STOP, undefined) || {Read, Write} <- Pipes, End <- [Read, Write]],
    see:value("stopped", length([ok || _ <- Pipes, _ <- [read, write],
        receive {stopped, right} -> true after 5000 -> false end])).

count_down(_, _) -> erlang:nif_error(not_loaded).
thread_type() -> erlang:nif_error(not_loaded).
thread_type_cpu() -> erlang:nif_error(not_loaded).
thread_type_io() -> erlang:nif_error(not_loaded).
raise_now(_) -> erlang:nif_error(not_loaded).
raise_cpu(_) -> erlang:nif_error(not_loaded).
raise_later(_) -> erlang:nif_error(not_loaded).
bad_later(_) -> erlang:nif_error(not_loaded).
consume() -> erlang:nif_error(not_loaded).
sum(_, _, _) -> erlang:nif_error(not_loaded).
sleep_ms(_) -> erlang:nif_error(not_loaded).
make_pipe() -> erlang:nif_error(not_loaded).
read_end(_) -> erlang:nif_error(not_loaded).
write_end(_, _) -> erlang:nif_error(not_loaded).
select_end(_, _, _) -> erlang:nif_error(not_loaded).
queue(_, _) -> erlang:nif_error(not_loaded).
