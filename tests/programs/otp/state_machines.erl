%% gen_statem: both callback modes, all kinds of timeouts, postponing, internal events.
-module(state_machines).
-behaviour(gen_statem).
-export([main/0, init/1, callback_mode/0, locked/3, open/3, terminate/3]).

main() ->
    process_flag(trap_exit, true),
    {ok, P} = gen_statem:start_link(?MODULE, {"123", self()}, []),
    see:value(entered, receive {enter, S0} -> S0 end),
    see:value(wrong, [button(P, $9), gen_statem:call(P, state)]),
    see:value(right, [button(P, $1), button(P, $2), button(P, $3), receive {enter, open} -> open end,
        gen_statem:call(P, state)]),
    see:value(state_timeout, receive {enter, locked} -> locked_again after 5000 -> none end),
    see:value(postponed, begin gen_statem:cast(P, {when_open, hello}), [button(P, C) || C <- "123"],
        receive {enter, open} -> ok end, receive {postponed, X} -> X after 5000 -> none end end),
    receive {enter, locked} -> ok end,
    see:value(event_timeout, begin gen_statem:cast(P, wait), receive event_timeout -> got after 5000 -> none end end),
    see:value(generic_timeout, begin gen_statem:cast(P, {timer, a, 5}), gen_statem:cast(P, {timer, b, 10}),
        [receive {timer, N} -> N after 5000 -> none end || _ <- [1, 2]] end),
    see:value(cancelled, begin gen_statem:cast(P, {timer, c, 20}), gen_statem:cast(P, {timer, c, infinity}),
        receive {timer, c} -> fired after 50 -> cancelled end end),
    see:value(internal, begin gen_statem:cast(P, internal), [receive {order, O} -> O end || _ <- [1, 2, 3]] end),
    see:value(info, begin P ! hello, receive {info, I} -> I after 5000 -> none end end),
    see:value(call_timeout, try gen_statem:call(P, silent, 20) catch exit:{timeout, _} -> timeout end),
    see:value(sys, begin {S, D} = sys:get_state(P), {S, maps:get(code, D)} end),
    see:value(stop, [gen_statem:stop(P), receive {terminated, R, St} -> {R, St} end, receive {'EXIT', P, R2} -> R2
        end]),
    {ok, Q} = gen_statem:start_link(?MODULE, {"1", self()}, []),
    see:value(crash, begin try gen_statem:call(Q, crash) catch exit:{{R3, _}, _} -> R3 end end).

button(P, C) -> gen_statem:cast(P, {button, C}).

callback_mode() -> [state_functions, state_enter].
init({Code, To}) -> {ok, locked, #{code => Code, left => Code, to => To}}.

locked(enter, _, #{to := T, code := C} = D) -> T ! {enter, locked}, {keep_state, D#{left := C}};
locked(cast, {button, B}, #{left := [B]} = D) -> {next_state, open, D};
locked(cast, {button, B}, #{left := [B | Rest]} = D) -> {keep_state, D#{left := Rest}};
locked(cast, {button, _}, #{code := C} = D) -> {keep_state, D#{left := C}};
locked(cast, {when_open, _}, _) -> {keep_state_and_data, [postpone]};
locked(Type, Event, D) -> common(Type, Event, locked, D).

open(enter, _, #{to := T}) -> T ! {enter, open}, {keep_state_and_data, [{state_timeout, 20, lock}]};
open(state_timeout, lock, D) -> {next_state, locked, D};
open(cast, {when_open, X}, #{to := T}) -> T ! {postponed, X}, keep_state_and_data;
open(Type, Event, D) -> common(Type, Event, open, D).

common({call, From}, state, S, _) -> {keep_state_and_data, [{reply, From, S}]};
common({call, _}, silent, _, _) -> keep_state_and_data;
common({call, _}, crash, _, _) -> error(crashed);
common(cast, wait, _, _) -> {keep_state_and_data, [{timeout, 5, waited}]};
common(timeout, waited, _, #{to := T}) -> T ! event_timeout, keep_state_and_data;
common(cast, {timer, N, Time}, _, _) -> {keep_state_and_data, [{{timeout, N}, Time, x}]};
common({timeout, N}, x, _, #{to := T}) -> T ! {timer, N}, keep_state_and_data;
common(cast, internal, _, #{to := T}) -> T ! {order, first}, self() ! {order, third},
    {keep_state_and_data, [{next_event, internal, second}]};
common(internal, second, _, #{to := T}) -> T ! {order, second}, keep_state_and_data;
common(info, {order, third}, _, #{to := T}) -> T ! {order, third}, keep_state_and_data;
common(info, I, _, #{to := T}) -> T ! {info, I}, keep_state_and_data.

terminate(R, S, #{to := T}) -> T ! {terminated, R, S}.
