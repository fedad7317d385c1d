%% Tells systemd that the service is ready, and twice in each period of the watchdog that it lives. To be started last
%% in the supervisor of an application: it says READY=1 when everything before it has started.
-module(systemd_notifier).
-behaviour(gen_server).
-export([start_link/0, start_link/1]).
-export([init/1, handle_call/3, handle_cast/2, handle_info/2, terminate/2]).

start_link() -> start_link(fun() -> true end).

%% IsWell is asked before each sign of life; while it is not true, systemd hears nothing and restarts the service.
start_link(IsWell) -> gen_server:start_link({local, ?MODULE}, ?MODULE, IsWell, []).

init(IsWell) ->
    process_flag(trap_exit, true),
    case os:getenv("NOTIFY_SOCKET") of
        Name when Name =:= false; Name =:= "" ->
            %% Not started by systemd.
            ignore;
        Name ->
            {ok, Socket} = socket:open(local, dgram),
            Self = #{socket => Socket, to => #{family => local, path => path(Name)}, is_well => IsWell},
            ok = tell(<<"READY=1\n">>, Self),
            {ok, sign_of_life(Self#{period => period()})}
    end.

%% A name that begins with @ is one without a file: its first byte is zero.
path("@" ++ Name) -> <<0, (unicode:characters_to_binary(Name))/binary>>;
path(Name) -> unicode:characters_to_binary(Name).

%% Milliseconds between two signs of life; infinity without WatchdogSec.
period() ->
    case os:getenv("WATCHDOG_USEC") of
        false -> infinity;
        Microseconds -> max(1, list_to_integer(Microseconds) div 2000)
    end.

tell(State, #{socket := Socket, to := To}) -> socket:sendto(Socket, State, To).

sign_of_life(Self = #{period := infinity}) -> Self;
sign_of_life(Self = #{period := Period, is_well := IsWell}) ->
    IsWell() =:= true andalso tell(<<"WATCHDOG=1\n">>, Self),
    erlang:send_after(Period, self(), sign_of_life),
    Self.

handle_call(_, _, Self) -> {reply, {error, unknown}, Self}.

handle_cast(_, Self) -> {noreply, Self}.

handle_info(sign_of_life, Self) -> {noreply, sign_of_life(Self)};
handle_info(_, Self) -> {noreply, Self}.

terminate(_, Self = #{socket := Socket}) ->
    _ = tell(<<"STOPPING=1\n">>, Self),
    socket:close(Socket).
