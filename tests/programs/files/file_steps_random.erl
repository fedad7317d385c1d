%% Random steps on two open files, by seed: every mode, the same file or two, reading and writing by every means,
%% positions, truncation, what others do to the file meanwhile, and whatever is asked of a file that is closed.
%% timeout: 100
-module(file_steps_random).
-export([main/0, main/2, trace/1]).

main() -> main(1, 60).

main(From, To) ->
    ok = logger:set_primary_config(level, none),
    trace(1),
    Before = apart:counts(),
    [io:format("~b ~0p~n", [Seed, summary(apart:run(fun() -> trace(Seed) end, 30000))]) || Seed <- lists:seq(From, To)],
    see:value(left, apart:settle(Before, 100)).

summary({Kind, Trace}) when is_list(Trace) -> {Kind, length(Trace), erlang:phash2(Trace)};
summary(Other) -> Other.

%% What every step was answered.
trace(Seed) ->
    rand:seed(exsss, {Seed, 3, 9}),
    process_flag(trap_exit, true),
    Folder = "file_steps_" ++ os:getpid() ++ "_" ++ integer_to_list(Seed),
    ok = file:make_dir(Folder),
    %% A file in memory has its name in it.
    {ok, Here} = file:get_cwd(),
    ok = file:set_cwd(Folder),
    Names = ["one", "two"],
    [ok = file:write_file(N, start()) || N <- Names, not chance(5)],
    {Modes, Files} = lists:unzip([opened(pick(Names)) || _ <- [1, 2]]),
    %% A compressed file goes to a place by reading or writing everything before it.
    {Trace, Last} = steps(20 + rand:uniform(60), Names, Files, []),
    Closed = [tried(fun() -> file:close(F) end) || F <- Last, F =/= none],
    Contents = [hashed(file:read_file(N)) || N <- Names],
    ok = file:set_cwd(Here),
    ok = file:del_dir_r(Folder),
    {Modes, [Closed, Contents | lists:reverse(Trace)]}.

pick(L) -> lists:nth(rand:uniform(length(L)), L).
chance(N) -> rand:uniform(N) =:= 1.

start() -> iolist_to_binary([[text(rand:uniform(40)), $\n] || _ <- lists:seq(1, rand:uniform(30) - 1)]).

text(N) -> [case rand:uniform(12) of 1 -> 195; 2 -> 164; _ -> $a + rand:uniform(26) - 1 end || _ <- lists:seq(1, N)].

opened(Name) ->
    %% What an io server has compressed is written when that has ended, which is later than the answer that ends it.
    Modes = [X || chance(8), X <- [raw, compressed]] ++
        pick([[read], [read, write], [read, write], [read, write], [write], [append], [read, append],
        [write, exclusive]])
        ++ [pick([raw, raw, raw, ram])  || chance(2)] ++ [binary || not chance(3)]
        ++ [pick([delayed_write, {delayed_write, 50, 10000}, {delayed_write, 5000, 10000}]) || chance(3)]
        ++ [pick([read_ahead, {read_ahead, 30}, {read_ahead, 1000}]) || chance(3)]
        ++ [{encoding, pick([utf8, latin1, unicode, {utf16, big}])} || chance(5)] ++ [sync || chance(12)],
    case tried(fun() -> file:open(Name, Modes) end) of
        {ok, F} -> {{Name, Modes, ok}, F};
        Other -> {{Name, Modes, Other}, none}
    end.

steps(0, _, Files, Trace) -> {Trace, Files};
steps(N, Names, Files, Trace) ->
    X = rand:uniform(2),
    {Step, Answer, Files1} = step(rand:uniform(34), X, lists:nth(X, Files), Names, Files),
    steps(N - 1, Names, Files1, [{X, Step, Answer} | Trace]).

step(K, X, none, Names, Files) when K < 29 -> step(30, X, none, Names, Files);
step(K, _, F, _, Files) when K =< 5 ->
    Data = data(),
    {{write, iolist_size(Data)}, tried(fun() -> file:write(F, Data) end), Files};
step(K, _, F, _, Files) when K =< 10 ->
    N = pick([0, 1, 5, 20, 100, 5000, 70000]),
    {{read, N}, shown(tried(fun() -> file:read(F, N) end)), Files};
step(K, _, F, _, Files) when K =< 12 ->
    {read_line, shown(tried(fun() -> file:read_line(F) end)), Files};
step(K, _, F, _, Files) when K =< 16 ->
    To = pick([bof, cur, eof, 0, 3, 50, 2000, {bof, 7}, {bof, -1}, {cur, 4}, {cur, -4}, {cur, -5000}, {cur, 0},
        {eof, -3}, {eof, 2}, {eof, 0}, {nowhere, 1}, -2]),
    {{position, To}, tried(fun() -> file:position(F, To) end), Files};
step(17, _, F, _, Files) ->
    Where = pick([0, 5, 100, {bof, 3}, {eof, -2}, {cur, 1}, 3000, -1]),
    {{pread, Where}, shown(tried(fun() -> file:pread(F, Where, pick([0, 1, 10, 500])) end)), Files};
step(18, _, F, _, Files) ->
    List = [{pick([0, 5, 100, 2000]), pick([0, 1, 10, 500])} || _ <- lists:seq(1, rand:uniform(4))] ++
        [{bad, 1} || chance(10)],
    {{pread, List}, shown(tried(fun() -> file:pread(F, List) end)), Files};
step(19, _, F, _, Files) ->
    Where = pick([0, 5, 100, {bof, 3}, {eof, 0}, {cur, 1}, 3000, -1]),
    {{pwrite, Where}, tried(fun() -> file:pwrite(F, Where, data()) end), Files};
step(20, _, F, _, Files) ->
    List = [{pick([0, 5, 100, 2000]), data()} || _ <- lists:seq(1, rand:uniform(4))] ++ [{bad, "x"} || chance(10)],
    {{pwrite, length(List)}, tried(fun() -> file:pwrite(F, List) end), Files};
step(21, _, F, _, Files) -> {truncate, tried(fun() -> file:truncate(F) end), Files};
step(K, _, F, _, Files) when K =< 23 ->
    {sync, tried(fun() -> case chance(2) of true -> file:sync(F); false -> file:datasync(F) end end), Files};
step(24, _, F, _, Files) ->
    Advice = pick([normal, sequential, random, will_need, dont_need, no_reuse, whatever]),
    {{advise, Advice}, tried(fun() -> file:advise(F, 0, pick([0, 100, -1]), Advice) end), Files};
step(25, _, F, _, Files) ->
    {allocate, tried(fun() -> file:allocate(F, pick([0, 10]), pick([0, 1, 3000])) end), Files};
%% By way of the protocol of io, which a raw file does not speak.
step(26, _, F, _, Files) when is_pid(F) ->
    Ask = pick([fun() -> io:get_line(F, '') end, fun() -> io:get_chars(F, '', pick([0, 1, 10, 3000])) end,
        fun() -> io:put_chars(F, latin1, text(9)) end,
                fun() -> io:put_chars(F, [pick([228, 8364, $a]), $\n]) end, fun() -> io:fread(F, '', "~s") end,
                    fun() -> io:getopts(F) end,
                fun() -> io:setopts(F, [{encoding, pick([utf8, latin1, strange])}]) end,
                    fun() -> io:setopts(F, [binary]) end, fun() -> io:setopts(F, [list]) end,
                fun() -> io:format(F, "~p~n", [{x, 1}]) end, fun() -> io:read(F, '') end, fun() -> io:columns(F) end]),
    {io, shown(tried(Ask)), Files};
step(27, _, F, _, Files) ->
    Other = pick(Files),
    N = pick([0, 10, 1000, infinity]),
    case Other of
        none -> {copy, none, Files};
        %% It would never end.
        F -> {copy, itself, Files};
        _ when N =:= infinity -> {copy, too_much, Files};
        _ -> {{copy, N}, tried(fun() -> file:copy(F, Other, N) end), Files}
    end;
step(28, X, F, _, Files) when X =:= 1 ->
    Answer = tried(fun() -> file:close(F) end),
    %% Sometimes it is asked once more.
    case chance(2) of
        true -> {close, Answer, replace(X, none, Files)};
        false -> {close, Answer, Files}
    end;
step(29, X, F, Names, Files) ->
    F =/= none andalso tried(fun() -> file:close(F) end),
    {Modes, New} = opened(pick(Names)),
    {{open, Modes}, ok, replace(X, New, Files)};
%% What others do to the files.
step(_, _, _, Names, Files) ->
    Name = pick(Names),
    {What, Do} = pick([{cut, fun() -> {ok, H} = file:open(Name, [read, write, raw]),
        R = [file:position(H, 10), file:truncate(H)], file:close(H), R end},
                       {grow, fun() -> file:write_file(Name, text(70), [append]) end},
                       {anew, fun() -> file:write_file(Name, start()) end},
                       {delete, fun() -> file:delete(Name) end},
                       {rename, fun() -> file:rename(Name, pick(Names)) end},
                       {size, fun() -> filelib:file_size(Name) end}, {size, fun() -> filelib:file_size(Name) end},
                       {look, fun() -> hashed(file:read_file(Name)) end},
                       {look, fun() -> hashed(file:read_file(Name)) end},
                       {link, fun() -> file:make_link(Name, Name ++ ".link") end},
                       {mode, fun() -> file:change_mode(Name, 8#644) end},
                       {copy, fun() -> file:copy(Name, pick(Names)) end},
                       {consult, fun() -> element(1, file:consult(Name)) end}]),
    {What, tried(Do), Files}.

replace(1, F, [_, B]) -> [F, B];
replace(2, F, [A, _]) -> [A, F].

data() ->
    case rand:uniform(6) of
        1 -> "";
        2 -> [text(30), <<"mid">>, [$\n | <<"end">>]];
        3 -> list_to_binary(text(3000));
        4 -> pick([text(10) ++ "\r\n", <<"line\n">>]);
        _ -> text(rand:uniform(60))
    end.

tried(Fun) ->
    try Fun() of
        Fun1 when is_function(Fun1) -> a_function;
        Value -> Value
    catch Class:Reason -> {Class, case Reason of {A, _} when is_atom(A) -> A; _ -> Reason end}
    end.

shown({ok, D}) -> {ok, hashed(D)};
shown(D) when is_binary(D); is_list(D) -> hashed(D);
shown(Other) -> Other.

hashed({ok, D}) -> {ok, hashed(D)};
hashed(D) when is_binary(D), byte_size(D) > 20 -> {binary, byte_size(D), erlang:phash2(D)};
hashed(D) when is_list(D), length(D) > 20 -> {list, length(D), erlang:phash2(D)};
hashed(D) -> D.
