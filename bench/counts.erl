%% The programs whose instructions `cargo xtask counts` counts. A row has a name, a size N, and work that is done N
%% times, so that the work for 2N less the work for N is free of booting, of loading the code and of warming up.
%%
%%   erl -noshell -s counts list -s erlang halt           prints `NAME SIZE` for each row
%%   erl -noshell -run counts work spawn 20000 -s erlang halt
%%
%% Nothing here depends on time, on chance or on how many schedulers run. Sizes are such that N times the work is some
%% hundred million instructions: then what changes from run to run, some hundred thousand, is less than half a percent.
-module(counts).
-behaviour(gen_server).
-export([list/0, work/1, ended/0]).
-export([init/1, handle_call/3, handle_cast/2]).

rows() ->
    [compute(Name, Times) || {Name, Times} <- compute()] ++
    [{"processes/spawn", 60000, fun spawn_and_end/1},
     {"processes/spawn_monitor", 30000, fun spawn_monitored/1},
     {"processes/links", 30000, fun links/1},
     {"processes/one_way", 300000, fun one_way/1},
     {"processes/round_trips", 100000, fun round_trips/1},
     {"processes/gen_server_call", 60000, fun calls/1},
     {"processes/copied_messages", 2000, fun copied/1},
     {"processes/selective_receive", 300, fun selective/1},
     {"processes/timers", 100000, fun timers/1},
     {"processes/collection", 300, fun collections/1},
     {"tables/set", 50000, fun(N) -> table(set, N) end},
     {"tables/ordered_set", 50000, fun(N) -> table(ordered_set, N) end},
     {"tables/select", 200, fun selects/1},
     {"ports/tcp_echo", 4000, fun echo/1}].

%% Programs of `experiments/compute`, and how often each is run.
compute() ->
    [{big_integers, 2}, {binaries, 1}, {closures, 1}, {compiler, 2}, {errors, 1}, {external_terms, 2}, {fib, 1},
     {io_format, 1}, {json, 1}, {lists, 1}, {maps_large, 1}, {maps_small, 1}, {nbody, 1}, {regexes, 1},
     {scan_parse, 1}].

list() ->
    [io:format("~s ~b~n", [Name, Size]) || {Name, Size, _} <- rows()],
    ok.

%% The work is done in a process of its own, as a program's is.
work([Name, Size]) ->
    {Name, _, Work} = lists:keyfind(Name, 1, rows()),
    {_, Monitor} = spawn_monitor(fun() -> Work(list_to_integer(Size)) end),
    receive
        {'DOWN', Monitor, process, _, normal} -> io:format("done~n");
        {'DOWN', Monitor, process, _, Reason} -> io:format("failed: ~p~n", [Reason])
    end.

compute(Name, Times) ->
    Module = list_to_atom("compute_" ++ atom_to_list(Name)),
    {"compute/" ++ atom_to_list(Name), Times, fun(N) -> each(fun(_) -> Module:run() end, N) end}.

each(_, 0) -> ok;
each(Do, N) -> Do(N), each(Do, N - 1).

ended() -> ok.

%% Processes that do nothing; every hundredth is waited for, so that few are alive at once.
spawn_and_end(0) -> ok;
spawn_and_end(N) when N rem 100 =:= 0 -> wait(spawn_monitor(?MODULE, ended, [])), spawn_and_end(N - 1);
spawn_and_end(N) -> spawn(?MODULE, ended, []), spawn_and_end(N - 1).

spawn_monitored(N) -> each(fun(_) -> wait(spawn_monitor(fun() -> ok end)) end, N).

wait({_, Monitor}) -> receive {'DOWN', Monitor, process, _, normal} -> ok end.

%% A parent with ten linked children ends, and they with it.
links(N) ->
    each(fun(_) ->
        Parent = spawn(fun() ->
            Children = [spawn_link(fun() -> receive never -> ok end end) || _ <- lists:seq(1, 9)],
            receive {children, Asker} -> Asker ! Children end,
            exit(over)
        end),
        Parent ! {children, self()},
        Children = receive List -> List end,
        [begin
             Monitor = erlang:monitor(process, Child),
             receive {'DOWN', Monitor, process, _, _} -> ok end
         end || Child <- Children]
    end, N div 10).

%% Messages to one process, which says every thousandth time that it has read them.
one_way(N) ->
    Reader = spawn_link(fun reader/0),
    send(N, Reader).

send(0, _) -> ok;
send(N, Reader) when N rem 1000 =:= 0 ->
    Reader ! {tell, self()},
    receive read -> send(N - 1, Reader) end;
send(N, Reader) -> Reader ! {number, N}, send(N - 1, Reader).

reader() ->
    receive
        {number, _} -> reader();
        {tell, Asker} -> Asker ! read, reader()
    end.

round_trips(N) ->
    Other = spawn_link(fun back/0),
    each(fun(_) -> Other ! self(), receive back -> ok end end, N).

back() -> receive Asker -> Asker ! back, back() end.

calls(N) ->
    {ok, Server} = gen_server:start_link(?MODULE, 0, []),
    each(fun(_) -> {ok, _} = gen_server:call(Server, {add, 1}) end, N),
    ok = gen_server:stop(Server).

init(Count) -> {ok, Count}.
handle_call({add, More}, _From, Count) -> {reply, {ok, Count}, Count + More}.
handle_cast(_, Count) -> {noreply, Count}.

%% Messages of some hundred words: lists, tuples, maps, floats and binaries of both kinds, there and back.
copied(N) ->
    Message = [{I, float(I), #{key => I, text => <<"a few bytes">>}, "text"} || I <- lists:seq(1, 40)] ++
        [binary:copy(<<"shared">>, 100)],
    Other = spawn_link(fun return/0),
    each(fun(_) -> Other ! {self(), Message}, receive {back, Message} -> ok end end, N).

return() -> receive {Asker, Message} -> Asker ! {back, Message}, return() end.

%% One message is taken from behind five hundred others, which are taken in order afterwards.
selective(N) ->
    each(fun(_) ->
        [self() ! {number, I} || I <- lists:seq(1, 500)],
        self() ! wanted,
        receive wanted -> ok end,
        [receive {number, I} -> ok end || I <- lists:seq(1, 500)]
    end, N).

%% Timers that are set and cancelled, a hundred at a time.
timers(N) ->
    each(fun(_) ->
        Timers = [erlang:send_after(60000 + I * 100, self(), I) || I <- lists:seq(1, 100)],
        [true = is_integer(erlang:cancel_timer(Timer)) || Timer <- Timers]
    end, N div 100).

%% Garbage beside a live structure of some ten thousand words: collections of both generations.
collections(N) ->
    Live = lists:foldl(fun(I, Tree) -> gb_trees:insert(I, {I, [I]}, Tree) end, gb_trees:empty(), lists:seq(1, 1000)),
    lists:foldl(fun(I, Tree) ->
        Key = I rem 1000 + 1,
        _ = [{J, J} || J <- lists:seq(1, 2000)],
        gb_trees:update(Key, {I, [I]}, Tree)
    end, Live, lists:seq(1, N * 4)).

%% Insertion, lookups, changes and deletion of N objects, a thousand at a time in one table.
table(Type, N) ->
    Table = ets:new(table, [Type]),
    Keys = [{key, I} || I <- lists:seq(1, 1000)],
    each(fun(_) ->
        [ets:insert(Table, {Key, 1, <<"a value">>, [Key]}) || Key <- Keys],
        [[_] = ets:lookup(Table, Key) || Key <- Keys],
        [ets:update_counter(Table, Key, 1) || Key <- Keys],
        [ets:lookup_element(Table, Key, 3) || Key <- Keys],
        [ets:delete(Table, Key) || Key <- Keys]
    end, N div 1000).

selects(N) ->
    Table = ets:new(table, [set]),
    [ets:insert(Table, {I, I rem 7, {name, I}}) || I <- lists:seq(1, 1000)],
    each(fun(_) ->
        ets:select(Table, [{{'$1', '$2', '_'}, [{'>', '$1', 500}, {'=:=', '$2', 3}], [{{'$1', '$2'}}]}]),
        ets:match_object(Table, {'_', 3, '_'}),
        ets:foldl(fun({I, _, _}, Sum) -> I + Sum end, 0, Table)
    end, N).

%% Round trips of 64 bytes over one connection to a process of the same node.
echo(N) ->
    {ok, Listening} = gen_tcp:listen(0, [binary, {active, false}, {ip, {127, 0, 0, 1}}, {nodelay, true}]),
    {ok, Port} = inet:port(Listening),
    spawn_link(fun() -> {ok, Socket} = gen_tcp:accept(Listening), answer(Socket) end),
    {ok, Socket} = gen_tcp:connect({127, 0, 0, 1}, Port, [binary, {active, false}, {nodelay, true}]),
    Message = binary:copy(<<"eight by">>, 8),
    each(fun(_) ->
        ok = gen_tcp:send(Socket, Message),
        {ok, Message} = gen_tcp:recv(Socket, byte_size(Message))
    end, N),
    ok = gen_tcp:close(Socket).

answer(Socket) ->
    case gen_tcp:recv(Socket, 0) of
        {ok, Data} -> ok = gen_tcp:send(Socket, Data), answer(Socket);
        {error, closed} -> ok
    end.
