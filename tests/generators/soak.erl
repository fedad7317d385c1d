%% Runs programs again and again in one node, and counts after each round what the node keeps.
%%
%% The first rounds load code and fill caches. From then on every round does the same, so that nothing may grow: what
%% has grown in most of the later rounds is a leak. Memory is shown but not judged, because it comes back when the
%% allocator likes: it gets a while for that before the first and the last count.
-module(soak).
-export([start/0]).

%% Rounds in which anything may grow.
-define(WARM, 2).
%% In this time the allocator gives back what nobody uses.
-define(REST_MS, 20000).
%% How long counts may take to come to rest after a round.
-define(SETTLE_MS, 15000).
-define(PROGRAM_MS, 300000).

%% What must be after each round as it was after the first ones.
-define(JUDGED, [processes, ports, atoms, tables, persistent_terms, modules, exports, funs, literal_bytes, timers,
                 descriptors, threads]).

%% `start Seconds Program...`: `Program` is a module with main/0, or `purged:Module`, whose code is purged after it.
start() ->
    logger:set_primary_config(level, none),
    erts_debug:set_internal_state(available_internal_state, true),
    [Seconds | Programs] = init:get_plain_arguments(),
    End = erlang:monotonic_time(second) + list_to_integer(Seconds),
    %% What the counting itself loads is there before the first count.
    _ = settled(),
    Counts = rounds(1, End, Programs, #{}, [settled()]),
    report(lists:reverse(Counts)).

rounds(Round, End, Programs, Outputs, Counts) ->
    case erlang:monotonic_time(second) >= End andalso Round > ?WARM + 2 of
        true -> [rested() | tl(Counts)];
        false ->
            New = lists:foldl(fun(Program, Seen) -> one(Round, Program, Seen) end, Outputs, Programs),
            Now = case Round of ?WARM -> rested(); _ -> settled() end,
            io:format("round ~b: ~b s left, ~b KiB resident~n",
                [Round, max(0, End - erlang:monotonic_time(second)), maps:get(resident_kib, Now)]),
            rounds(Round + 1, End, Programs, New, [Now | Counts])
    end.

%% One program. What it prints must be the same in every round.
one(Round, Program, Outputs) ->
    {Module, Purged} = named(Program),
    Printer = spawn(fun() -> printer(erlang:md5_init()) end),
    {Pid, Watch} = spawn_opt(fun() -> group_leader(Printer, self()), Module:main() end, [monitor]),
    receive
        {'DOWN', Watch, process, Pid, Reason} when Purged -> ended(Reason);
        {'DOWN', Watch, process, Pid, normal} -> ok;
        {'DOWN', Watch, process, Pid, Reason} -> wrong(Round, Program, {ends, Reason})
    after ?PROGRAM_MS ->
        wrong(Round, Program, does_not_end),
        exit(Pid, kill)
    end,
    Printed = printed(Printer),
    [begin code:delete(Module), code:purge(Module) end || Purged],
    case Outputs of
        #{Program := Printed} -> Outputs;
        #{Program := _} -> wrong(Round, Program, prints_something_else), Outputs;
        #{} -> Outputs#{Program => Printed}
    end.

named("purged:" ++ Name) -> {list_to_atom(Name), true};
named(Name) -> {list_to_atom(Name), false}.

%% A random program may end as it likes.
ended(_) -> ok.

wrong(Round, Program, What) ->
    io:format("WRONG round ~b, ~ts: ~0tP~n", [Round, Program, What, 30]).

%% A group leader that keeps the digest of what it is asked to print.
printer(Digest) ->
    receive
        {io_request, From, As, Request} ->
            From ! {io_reply, As, ok},
            printer(erlang:md5_update(Digest, chars(Request)));
        {From, printed} -> From ! {self(), erlang:md5_final(Digest)};
        _ -> printer(Digest)
    end.

chars({put_chars, Encoding, Text}) -> unicode:characters_to_binary(Text, Encoding);
chars({put_chars, _, M, F, A}) -> unicode:characters_to_binary(apply(M, F, A));
chars(_) -> <<>>.

printed(Printer) ->
    Printer ! {self(), printed},
    receive {Printer, Digest} -> Digest end.

rested() ->
    timer:sleep(?REST_MS),
    settled().

%% The counts once they stay the same for a while, or after the longest wait.
settled() ->
    settled(counts(), erlang:monotonic_time(millisecond) + ?SETTLE_MS, 0).
settled(Before, End, Same) ->
    [garbage_collect(Pid) || Pid <- processes()],
    timer:sleep(300),
    Now = counts(),
    Rests = [maps:get(Kind, Now) =:= maps:get(Kind, Before) || Kind <- ?JUDGED],
    case lists:all(fun(Rest) -> Rest end, Rests) of
        true when Same =:= 4 -> Now;
        Rest ->
            case erlang:monotonic_time(millisecond) > End of
                true -> Now;
                false when Rest -> settled(Now, End, Same + 1);
                false -> settled(Now, End, 0)
            end
    end.

counts() ->
    Memory = [{list_to_atom("memory_" ++ atom_to_list(Kind)), Bytes} || {Kind, Bytes} <- erlang:memory()],
    #{count := Terms, memory := TermBytes} = persistent_term:info(),
    maps:from_list(Memory ++ kept() ++ outside() ++ [
        {processes, erlang:system_info(process_count)},
        {ports, erlang:system_info(port_count)},
        {atoms, erlang:system_info(atom_count)},
        {tables, length(ets:all())},
        {persistent_terms, Terms},
        {memory_persistent_terms, TermBytes},
        {modules, length(erlang:loaded())}]).

%% Stock has no such state.
kept() ->
    None = [{Kind, 0} || Kind <- [exports, funs, literal_bytes, timers]],
    try erts_debug:get_internal_state(kept) catch error:_ -> None end.

%% As the operating system counts.
outside() ->
    Folder = "/proc/" ++ os:getpid(),
    {ok, Descriptors} = file:list_dir(Folder ++ "/fd"),
    {ok, Threads} = file:list_dir(Folder ++ "/task"),
    {ok, Maps} = file:read_file(Folder ++ "/maps"),
    {ok, Sizes} = file:read_file(Folder ++ "/statm"),
    [_, Resident | _] = binary:split(Sizes, <<" ">>, [global]),
    [{descriptors, length(Descriptors)}, {threads, length(Threads)}, {mappings, length(binary:matches(Maps, <<"\n">>))},
     {resident_kib, binary_to_integer(Resident) * 4}].

%% A line for each kind: before, after the first rounds, at the end, and the verdict.
report(Counts) ->
    [Before | Rounds] = Counts,
    Later = lists:nthtail(?WARM - 1, Rounds),
    io:format("~-24ts ~12ts ~12ts ~12ts  ~ts~n", ["kind", "before", "warm", "end", "rounds in which it grew"]),
    Leaks = [Kind || Kind <- lists:sort(maps:keys(Before)), line(Kind, Before, Later)],
    io:format("~b rounds, ~b kinds grow~ts~n",
        [length(Rounds), length(Leaks), [[" ", atom_to_list(Kind)] || Kind <- Leaks]]),
    halt(min(1, length(Leaks))).

line(Kind, Before, Later) ->
    Values = [maps:get(Kind, Count) || Count <- Later],
    {First, Last} = {hd(Values), lists:last(Values)},
    Grew = length([grew || {A, B} <- lists:zip(lists:droplast(Values), tl(Values)), B > A]),
    Judged = lists:member(Kind, ?JUDGED),
    Leaks = Judged andalso Last > First andalso Grew * 2 > length(Values) - 1,
    Verdict = case {Judged, Leaks} of {true, true} -> "LEAKS"; {true, false} -> ""; {false, _} -> "(shown only)" end,
    io:format("~-24ts ~12b ~12b ~12b  ~b of ~b ~ts~n", [atom_to_list(Kind), maps:get(Kind, Before), First, Last, Grew,
        length(Values) - 1, Verdict]),
    Leaks.
