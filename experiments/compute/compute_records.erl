%% A server's state in a record and its loop over requests, without the process around it.
-module(compute_records).
-export([run/0]).

-record(state, {name, count = 0, total = 0, last, limit = 1000, log = []}).

run() -> loop(2500000, #state{name = counter}).

loop(0, #state{count = Count, total = Total}) -> {Count, Total};
loop(N, State) ->
    {_, State1} = handle_call(request(N), State),
    loop(N - 1, State1).

request(N) ->
    case N rem 5 of
        0 -> {add, N};
        1 -> {subtract, N};
        2 -> get;
        3 -> {note, N};
        4 -> reset
    end.

handle_call({add, X}, State = #state{total = T, count = C}) ->
    {reply, State#state{total = T + X, count = C + 1, last = add}};
handle_call({subtract, X}, State = #state{total = T, count = C}) ->
    {reply, State#state{total = T - X, count = C + 1, last = subtract}};
handle_call(get, State = #state{total = T}) ->
    {{reply, T}, State};
handle_call({note, X}, State = #state{log = Log, limit = Limit}) when X rem Limit =:= 3 ->
    {reply, State#state{log = [X | lists:sublist(Log, 3)]}};
handle_call({note, _}, State) ->
    {reply, State};
handle_call(reset, State) ->
    {reply, State#state{last = undefined}}.
