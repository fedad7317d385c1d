%% A supervisor with many children: they are started, some of them are killed and restarted, and the supervisor ends.
%%
%%   erl -noshell -s supervised by one_for_one 100000 -s erlang halt
%%
%% prints the time of each step in microseconds, for one restart and otherwise for all children together, and the memory
%% of all children in bytes.
-module(supervised).
-behaviour(supervisor).
-export([by/1, with/3]).
-export([init/1]).

%% One child of so many is killed. A one_for_one supervisor looks through all children for each that ends.
-define(SHARE_KILLED, 10).
-define(SHARE_KILLED_OF_LISTED, 1000).

by([Strategy, Count]) ->
    Counter = counters:new(1, []),
    with(fun() -> supervisor:start_link(?MODULE, {Strategy, Counter}) end,
         fun(Supervisor, Key) -> supervisor:start_child(Supervisor, child(Strategy, Counter, Key)) end,
         {lives:number(Count), share_killed(Strategy), Counter}).

share_killed(one_for_one) -> ?SHARE_KILLED_OF_LISTED;
share_killed(_) -> ?SHARE_KILLED.

%% Each child adds one to the counter when it starts.
with(Start, StartChild, {N, Share, Counter}) ->
    _ = logger:set_primary_config(level, none),
    lives:alone(fun() ->
        Before = lives:collected(),
        {ok, Supervisor} = Start(),
        Children = lives:step("start", fun() -> [started(StartChild(Supervisor, Key)) || Key <- lists:seq(1, N)] end),
        lives:print("started_bytes", lives:collected() - Before),
        Victims = [Child || {Key, Child} <- lists:enumerate(Children), Key rem Share =:= 0],
        Micros = lives:micros(fun() ->
            [exit(Victim, kill) || Victim <- Victims],
            wait_for(N + length(Victims), Counter)
        end),
        lives:print("restart", Micros / length(Victims)),
        lives:step("end", fun() ->
            exit(Supervisor, shutdown),
            receive {'EXIT', Supervisor, shutdown} -> ok end
        end)
    end).

started({ok, Child}) -> Child.

wait_for(Count, Counter) ->
    case counters:get(Counter, 1) of
        Count -> ok;
        _ -> receive after 1 -> wait_for(Count, Counter) end
    end.

child(simple_one_for_one, _, Key) -> [Key];
child(one_for_one, Counter, Key) -> #{id => Key, start => {live_server, start_link, [Counter, Key]}}.

init({Strategy, Counter}) ->
    Flags = #{strategy => Strategy, intensity => 10_000_000, period => 1},
    Children = case Strategy of
                   one_for_one -> [];
                   simple_one_for_one -> [#{id => child, start => {live_server, start_link, [Counter]}}]
               end,
    {ok, {Flags, Children}}.
