%% What generated programs run with: everything that they print, and what keeps them small.
-module(run).
-export([start/0, id/1, that/2, second/2, bounded/1, plain/1, caught/3, frames/1, served/3, together/1]).

-define(PROGRAM_MS, 20000).
-define(MOST_PARTS, 60).
-define(MOST_BITS, 300).

%% Runs the programs that the command line names, one after the other, each in a process of its own.
start() ->
    logger:set_primary_config(level, none),
    lists:foreach(fun program/1, init:get_plain_arguments()),
    halt().

program(Name) ->
    io:format("program ~ts~n", [Name]),
    Module = list_to_atom(Name),
    {Pid, Watch} = spawn_monitor(fun() -> exit(Module:main()) end),
    receive
        {'DOWN', Watch, process, Pid, Reason} -> io:format("ends: ~" ++ term() ++ "~n", [plain(Reason)])
    after ?PROGRAM_MS ->
            io:format("does not end~n"),
            exit(Pid, kill)
    end.

%% Its argument, unknown to the compiler.
id(X) -> X.

second(First, Second) -> {bounded(plain(First)), Second}.

%% What a fun returns, or how it fails.
that(Label, Fun) ->
    try Fun() of
        Value -> io:format("~b: ~" ++ term() ++ "~n", [Label, plain(Value)])
    catch
        Class:Reason:Stack -> io:format("~b: ~w ~" ++ term() ++ "~n~" ++ term() ++ "~n",
            [Label, Class, plain(Reason), frames(Stack)])
    end.

%% How a term is shown on one line, with the keys of maps in order: from OTP 26 on that of atoms is open.
term() ->
    case erlang:system_info(otp_release) of
        "25" -> "0tp";
        _ -> "0ktp"
    end.

%% A value of a size that another turn of a loop can bear.
bounded(N) when is_integer(N) -> N rem 1000000007;
bounded(B) when is_bitstring(B), bit_size(B) > ?MOST_BITS ->
    <<Kept:?MOST_BITS/bitstring, _/bitstring>> = B,
    Kept;
bounded(T) ->
    case parts(T, ?MOST_PARTS) of
        Left when Left >= 0 -> T;
        _ when is_list(T) -> short(T, 5);
        _ -> smaller(T)
    end.

short([H | T], N) when N > 0 -> [smaller(H) | short(T, N - 1)];
short(_, _) -> [].

smaller(T) when is_list(T) -> [a_list];
smaller(T) when is_tuple(T) -> {a_tuple};
smaller(T) when is_map(T) -> #{a => map};
smaller(T) ->
    case is_native_record(T) of
        true -> a_record;
        false -> T
    end.

parts(_, Left) when Left < 0 -> Left;
parts([H | T], Left) -> parts(T, parts(H, Left - 1));
parts(T, Left) when is_tuple(T) -> parts(tuple_to_list(T), Left - 1);
parts(T, Left) when is_map(T) -> parts(maps:to_list(T), Left - 1);
parts(F, Left) when is_function(F) ->
    case erlang:fun_info(F, env) of
        {env, Values} -> parts(Values, Left - 1)
    end;
parts(N, Left) when is_integer(N), N bsr 600 =/= 0, N bsr 600 =/= -1 -> -1;
parts(T, Left) ->
    case is_native_record(T) of
        true -> parts(fields(T), Left - 1);
        false -> Left - 1
    end.

%% What was caught, where the value of the rest is wanted: it is printed.
caught(Class, Reason, Instead) ->
    io:format("  caught ~" ++ term() ++ " ~" ++ term() ++ "~n", [plain(Class), plain(Reason)]),
    Instead.

%% Frames of generated code and of what it called: function, arity or arguments, line.
frames(Stack) ->
    [{M, F, shown(A), [{line, L} || {line, L} <- Location]}
     || {M, F, A, Location} <- lists:takewhile(fun(Frame) -> element(1, Frame) =/= ?MODULE end, Stack),
        not is_operator(M, F)].

%% Stock's machine shows the frame of an operator for some forms of it and not for others.
is_operator(erlang, Name) ->
    lists:member(Name, ['+', '-', '*', '/', 'div', 'rem', 'band', 'bor', 'bxor', 'bsl', 'bsr', 'bnot', 'abs']);
is_operator(_, _) -> false.

shown(Arguments) when is_list(Arguments) -> plain(Arguments);
shown(Arity) -> Arity.

%% A value without what two machines do not have alike.
plain(F) when is_function(F) -> {a_fun, element(2, erlang:fun_info(F, arity))};
plain(P) when is_pid(P) -> a_pid;
plain(P) when is_port(P) -> a_port;
plain(R) when is_reference(R) -> a_reference;
plain({Reason, [{_, _, _, _} | _] = Stack}) -> {plain(Reason), frames(Stack)};
plain(T) when is_tuple(T) -> list_to_tuple([plain(E) || E <- tuple_to_list(T)]);
plain([H | T]) -> [plain(H) | plain(T)];
%% The order in a large map is the machine's own.
plain(M) when map_size(M) > 32 -> {a_map, lists:sort([{K, plain(V)} || {K, V} <- maps:to_list(M)])};
plain(M) when is_map(M) -> maps:map(fun(_, V) -> plain(V) end, M);
plain(T) ->
    case is_native_record(T) of
        true -> {a_record, records:get_module(T), records:get_name(T), [{F, plain(V)} || {F, V} <- fields(T)]};
        false -> T
    end.

%% What is of no other type. The compiler of an older release does not know the test.
is_native_record(T) ->
    not (is_number(T) orelse is_atom(T) orelse is_bitstring(T) orelse is_list(T) orelse is_tuple(T) orelse is_map(T)
        orelse
         is_function(T) orelse is_pid(T) orelse is_port(T) orelse is_reference(T)).

fields(Record) -> [{F, records:get(F, Record)} || F <- records:get_field_names(Record)].

%% A server that puts its state through a fun at each request, and is asked a few times.
served(Step, State, Times) ->
    {Server, Watch} = spawn_monitor(fun() -> serve(Step, State) end),
    Answers = [ask(Server, Watch) || _ <- lists:seq(1, Times)],
    Server ! stop,
    demonitor(Watch, [flush]),
    Answers.

serve(Step, State) ->
    receive
        {From, Reference} ->
            New = bounded(Step(State)),
            From ! {Reference, plain(New)},
            serve(Step, New);
        stop -> ok
    end.

ask(Server, Watch) ->
    Reference = make_ref(),
    Server ! {self(), Reference},
    receive
        {Reference, Answer} -> Answer;
        {'DOWN', Watch, process, Server, Reason} ->
            %% Asked again, it is gone.
            self() ! {'DOWN', Watch, process, Server, noproc},
            {died, plain(Reason)}
    end.

%% The outcomes of funs that run at once, in their order.
together(Funs) ->
    Watched = [spawn_monitor(fun() -> exit({done, Fun()}) end) || Fun <- Funs],
    [receive {'DOWN', Watch, process, Pid, Reason} -> plain(Reason) end || {Pid, Watch} <- Watched].
