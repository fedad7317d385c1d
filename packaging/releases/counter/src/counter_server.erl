%% Counts; the code of version 2 of the release counts in tens and has changed what it holds.
-module(counter_server).
-behaviour(gen_server).
-vsn("VERSION").
-export([start_link/0, next/0, machine/0, vm/0, init/1, handle_call/3, handle_cast/2, code_change/3]).

-define(STEP, STEP_OF_VERSION).

start_link() -> gen_server:start_link({local, ?MODULE}, ?MODULE, [], []).

next() -> gen_server:call(?MODULE, next).

%% What the service sees of the machine that it runs on.
machine() ->
    {erlang:system_info(otp_release), erlang:system_info(version), code:root_dir(), init:get_argument(progname),
     code:which(init), init:get_plain_arguments()}.

vm() -> try erlang:system_info({ferl, memory_guard}) of _ -> ferl catch _:_ -> stock end.

init([]) -> {ok, {count, 0}}.

handle_call(next, _, {count, N}) -> {reply, N, {count, N + ?STEP}};
handle_call(next, _, {count, N, changed}) -> {reply, {changed, N}, {count, N + ?STEP, changed}}.

handle_cast(_, State) -> {noreply, State}.

code_change(_, {count, N}, _) -> {ok, {count, N, changed}};
code_change({down, _}, {count, N, changed}, _) -> {ok, {count, N}}.
