%% Many processes on all schedulers send random terms to each other and check that they arrive as
%% they were sent: each term is made anew from its seed by the receiver.
%% timeout: 60
-module(random_terms).
-export([main/0, worker/3]).
-define(WORKERS, 60).
-define(MESSAGES, 300).

main() ->
    Me = self(),
    Ws = [spawn_opt(?MODULE, worker, [Me, N, ?WORKERS], options(N)) || N <- lists:seq(1, ?WORKERS)],
    Names = list_to_tuple(Ws),
    [W ! {peers, Names} || W <- Ws],
    Results = lists:sort([receive {done, N, R} -> {N, R} after 50000 -> stuck end || _ <- Ws]),
    see:value(workers, length(Results)),
    see:value(wrong, [R || {_, {_, Bad}} = R <- Results, Bad =/= []]),
    see:value(received, lists:sum([Got || {_, {Got, _}} <- Results])).

options(N) ->
    lists:nth(N rem 5 + 1, [[], [{fullsweep_after, 0}], [{message_queue_data, off_heap}], [{min_heap_size, 2000}],
        [{priority, low}]]).

%% Everyone sends ?MESSAGES to peers chosen by seed, then `fin` to all; ends when all have said `fin`.
worker(Main, Id, Count) ->
    receive {peers, Names} -> ok end,
    Rest = send(?MESSAGES, Id * 7919, Id, Names, Count, {0, []}),
    [element(P, Names) ! fin || P <- lists:seq(1, Count)],
    Main ! {done, Id, drain(Count, Rest)}.

send(0, _, _, _, _, Seen) -> Seen;
send(N, Seed, Id, Names, Count, Seen) ->
    {To, S1} = pick(Count, Seed),
    {T, _} = term(S1, 4),
    element(To, Names) ! {term, S1, T, Id},
    Next = check_some(Seen),
    send(N - 1, next(S1), Id, Names, Count, Next).

check_some(Seen) ->
    receive {term, S, T, From} -> check_some(check(S, T, From, Seen)) after 0 -> Seen end.

check(S, T, From, {Got, Bad}) ->
    case term(S, 4) of
        {T, _} -> {Got + 1, Bad};
        _ -> {Got + 1, [{From, S} | Bad]}
    end.

drain(0, Seen) -> check_some(Seen);
drain(Left, Seen) ->
    receive
        fin -> drain(Left - 1, Seen);
        {term, S, T, From} -> drain(Left, check(S, T, From, Seen))
    end.

next(S) -> (S * 6364136223846793005 + 1442695040888963407) band 16#ffffffffffffffff.
pick(N, S0) -> S = next(S0), {(S bsr 33) rem N + 1, S}.

%% A term of at most so many levels, and the next seed.
term(S0, Depth) ->
    Kinds = case Depth of 0 -> 8; _ -> 14 end,
    {K, S} = pick(Kinds, S0),
    case K of
        1 -> {N, S1} = pick(1000000, S), {N - 500000, S1};
        2 -> {N, S1} = pick(1 bsl 30, S), {N * N * N * N, S1};
        3 -> {N, S1} = pick(1000, S), {N / 8, S1};
        4 -> {N, S1} = pick(6, S), {element(N, {a, b, ok, error, undefined, 'an atom'}), S1};
        5 -> {N, S1} = pick(100, S), {binary:copy(<<N>>, N), S1};
        6 -> {N, S1} = pick(2000, S), {binary:part(binary:copy(<<N:16>>, 2000), N div 2, N), S1};
        7 -> {[], S};
        8 -> {N, S1} = pick(60, S), {<<N:N>>, S1};
        9 -> {N, S1} = pick(8, S), list(N, S1, Depth - 1);
        10 -> {N, S1} = pick(6, S), {L, S2} = list(N, S1, Depth - 1), {list_to_tuple(L), S2};
        11 -> {N, S1} = pick(6, S), {L, S2} = list(N, S1, Depth - 1), {maps:from_list([{X, X} || X <- L]), S2};
        12 -> {N, S1} = pick(80, S), {maps:from_list([{X, [X]} || X <- lists:seq(1, N)]), S1};
        13 -> {A, S1} = term(S, Depth - 1), {B, S2} = term(S1, Depth - 1), {[A | B], S2};
        14 -> {N, S1} = pick(50, S), {lists:seq(1, N), S1}
    end.

list(0, S, _) -> {[], S};
list(N, S, D) -> {T, S1} = term(S, D), {R, S2} = list(N - 1, S1, D), {[T | R], S2}.
