%% Receives that must look past what they do not want.
-module(selective).
-export([past/1, reversed/1, by_reference/1]).

-define(WANTED, 100).

%% N messages that nobody wants lie in the queue; a hundred wanted ones are each found behind them.
past(N) when is_integer(N), N >= 0 ->
    fill(N),
    wanted(?WANTED),
    drop().

wanted(0) -> ok;
wanted(K) ->
    self() ! {wanted, K},
    receive {wanted, K} -> ok end,
    wanted(K - 1).

%% N messages taken in the opposite of the order in which they came.
reversed(N) when is_integer(N), N >= 0 ->
    fill(N),
    take(N).

take(0) -> ok;
take(N) ->
    receive {unwanted, N} -> ok end,
    take(N - 1).

%% As past/1, but each wanted message carries a reference made just before, so the machine may skip what
%% came earlier. A hundred times a hundred of them.
by_reference(N) when is_integer(N), N >= 0 ->
    fill(N),
    references(?WANTED * ?WANTED),
    drop().

references(0) -> ok;
references(K) ->
    Reference = make_ref(),
    self() ! {Reference, K},
    receive {Reference, K} -> ok end,
    references(K - 1).

%% Filled so that message number 1 is the last one.
fill(N) ->
    [self() ! {unwanted, K} || K <- lists:seq(1, N)],
    ok.

drop() ->
    receive _ -> drop() after 0 -> ok end.
