%% Random calls of the C interface, by seed, from all kinds of threads, with kills and purges in between.
%%
%% A step of a scenario is a process that calls `native_library` with a seed of its own, from an ordinary scheduler, a
%% dirty one, or a thread of the library; some are killed meanwhile, or collect. Other steps load the library anew and
%% purge the old code, or kill one of those who are sent to and monitored. In the end all of them are ended, and then
%% every object must have been destroyed, every monitor told, and every event stopped. What terms are made of a seed is
%% printed, to be compared with stock. The last steps of a batch still run when the node ends.
-module(natives).
-export([start/0]).

-define(STEPS, 40).
-define(CALLS, 60).
-define(PEERS, 8).
-define(PATIENCE, 30000).

%% `start First Count`, or `start only Number Steps...`: see `traces.erl`.
start() ->
    logger:set_primary_config(level, none),
    {module, _} = code:ensure_loaded(native_library),
    case init:get_plain_arguments() of
        ["only", Word | Lists] ->
            [scenario(list_to_integer(Word), Label, numbers(List)) || {Label, List} <- lists:enumerate(Lists)];
        Words ->
            [First, Count] = [list_to_integer(Word) || Word <- Words],
            [scenario(Number, Number, lists:seq(1, ?STEPS)) || Number <- lists:seq(First, First + Count - 1)],
            _ = [step(First, Step, peers()) || Step <- lists:seq(1, 10)],
            timer:sleep(First rem 10)
    end,
    halt(0).

numbers(List) -> [list_to_integer(Word) || Word <- string:lexemes(List, ",")].

peers() -> [spawn(fun peer/0) || _ <- lists:seq(1, ?PEERS)].

peer() -> receive {said, _} -> peer(); {event, _} -> peer(); Other -> exit({got, Other}) end.

scenario(Number, Label, Steps) ->
    Peers = peers(),
    Started = [step(Number, Step, Peers) || Step <- Steps],
    Ends = [receive
                {'DOWN', Monitor, process, _, Reason} -> Reason
            after ?PATIENCE -> {hangs, process_info(Pid, [current_function, status])}
            end || {Pid, Monitor} <- Started],
    Wrong = [End || End <- Ends, End =/= played, End =/= killed, End =/= normal],
    [exit(Peer, kill) || Peer <- Peers],
    Left = settled(?PATIENCE),
    Sums = [native_library:terms(Number * 1000 + Step) || Step <- Steps],
    io:format("~b: ~0tp in the library, ~0tp wrong, ~b~n", [Label, Left, Wrong, erlang:phash2(Sums)]).

%% What the library found wrong; with what is left of objects, monitors and events, if something is.
settled(Left) ->
    case native_library:counts() of
        {0, 0, 0, _, Wrong} -> Wrong;
        {Objects, Monitors, Events, _, Wrong} when Left =< 0 -> {Objects, Monitors, Events, Wrong};
        _ ->
            erlang:garbage_collect(),
            timer:sleep(10),
            settled(Left - 10)
    end.

step(Number, Step, Peers) ->
    rand:seed(exsss, {Number, Step, 0}),
    Seed = rand:uniform(1 bsl 60),
    What = rand:uniform(20),
    spawn_monitor(fun() -> rand:seed(exsss, {Number, Step, 1}), exit(play(What, Seed, Peers)) end).

play(1, _, _) -> loaded_anew();
play(2, _, Peers) -> exit(lists:nth(rand:uniform(?PEERS), Peers), kill), played;
play(3, _, _) -> [erlang:garbage_collect(P) || P <- processes()], played;
play(What, Seed, Peers) when What < 10 ->
    %% Killed in the middle of it, or before it, or after.
    Form = form(),
    {Pid, Monitor} = spawn_monitor(fun() -> native_library:Form(Seed, ?CALLS, [self() | Peers]) end),
    busy(rand:uniform(2000)),
    exit(Pid, kill),
    receive {'DOWN', Monitor, process, Pid, _} -> played after ?PATIENCE -> does_not_die end;
play(_, Seed, Peers) ->
    %% Purged code ends who runs it.
    native_library:(form())(Seed, ?CALLS, Peers).

form() -> lists:nth(rand:uniform(4), [play, play_cpu, play_io, play_thread]).

busy(0) -> ok;
busy(N) -> busy(N - 1).

%% Several may do so at a time.
loaded_anew() ->
    global:trans({?MODULE, self()}, fun() ->
        code:purge(native_library),
        {module, _} = code:load_file(native_library),
        code:purge(native_library),
        played
    end, [node()]).
