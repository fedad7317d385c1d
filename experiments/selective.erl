%% Selective receives behind a queue of messages that do not match.
-module(selective).
-export([past/1, reversed/1, by_reference/1]).

-define(WANTED, 100).

%% N messages that never match are in the queue; each of a hundred receives finds its message behind them.
past(N) when is_integer(N), N >= 0 ->
    fill(N),
    wanted(?WANTED),
    drop().

wanted(0) -> ok;
wanted(K) ->
    self() ! {wanted, K},
    receive {wanted, K} -> ok end,
    wanted(K - 1).

%% N messages, received in the reverse order of their arrival.
reversed(N) when is_integer(N), N >= 0 ->
    fill(N),
    take(N).

take(0) -> ok;
take(N) ->
    receive {unwanted, N} -> ok end,
    take(N - 1).

%% Like past/1, but each awaited message contains a reference that was created just before, so the VM may skip all
%% earlier messages. A hundred times a hundred receives.
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

%% The queue is filled so that message number 1 is the last.
fill(N) ->
    [self() ! {unwanted, K} || K <- lists:seq(1, N)],
    ok.

drop() ->
    receive _ -> drop() after 0 -> ok end.
