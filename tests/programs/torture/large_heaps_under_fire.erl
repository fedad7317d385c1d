%% Processes with large heaps that are collected, suspended, asked, flooded, hibernated and killed at any moment, by
%% seed; what lives in the end has all it kept and got every message in order.
%% args: +S 2:2 +SDcpu 1:1
%% timeout: 180
-module(large_heaps_under_fire).
-export([main/0, sleeping/4]).
-define(WORKERS, 8).
-define(ROUNDS, 40).

main() ->
    see:value(waves, [wave(Seed) || Seed <- lists:seq(1, 2)]).

wave(Seed) ->
    %% Some are collected beside everything else, some between two slices.
    Size = element(Seed, {30000, 120000}),
    Ws = [spawn_monitor(fun() -> begins(N, Size) end) || N <- lists:seq(1, ?WORKERS)],
    Me = self(),
    Tormentors = [spawn_monitor(fun() -> torment(?ROUNDS, Seed * 7919 + N, [W || {W, _} <- Ws]), Me ! {tormented, N}
        end) || N <- lists:seq(1, 3)],
    Senders = [spawn_monitor(fun() -> [W ! {S, X, lists:seq(1, X rem 30)} || X <- lists:seq(1, 240), {W, _} <- Ws],
        Me ! {sent, S} end) || S <- [a, b]],
    [receive {'DOWN', R, _, _, normal} -> ok end || {_, R} <- Tormentors ++ Senders],
    [receive {tormented, N} -> ok end || N <- lists:seq(1, 3)],
    [receive {sent, S} -> ok end || S <- [a, b]],
    %% Half of them are killed in the middle of what they do; the others answer.
    Ends = [begin
                case N rem 2 of
                    0 -> erlang:garbage_collect(W, [{async, N}]), exit(W, kill);
                    1 -> W ! {stop, self()}
                end,
                receive {'DOWN', R, _, _, Why} -> Why end
            end || {N, {W, R}} <- lists:zip(lists:seq(1, ?WORKERS), Ws)],
    [receive {garbage_collect, N, _} -> ok end || N <- lists:seq(2, ?WORKERS, 2)],
    Ends.

begins(N, Size) ->
    N rem 3 =:= 0 andalso process_flag(message_queue_data, off_heap),
    N rem 4 =:= 0 andalso process_flag(fullsweep_after, 1),
    works(N, Size, [{I, N} || I <- lists:seq(1, Size)], #{}).

works(N, Size, L, Last) ->
    receive
        {S, X, List} ->
            Before = maps:get(S, Last, 0),
            Before + 1 =:= X orelse exit({out_of_order, S, Before, X}),
            X rem 30 =:= length(List) orelse exit({damaged, S, X}),
            Next = Last#{S => X},
            case X rem 8 of
                0 -> works(N, Size, [{I, M} || {I, M} <- L], Next);
                1 -> garbage_collect(), works(N, Size, L, Next);
                2 when X rem 5 =:= 0 -> erlang:hibernate(?MODULE, sleeping, [N, Size, L, Next]);
                3 -> put(X, lists:sublist(L, 5)), erase(X), works(N, Size, L, Next);
                4 -> true = length(L ++ [X]) =:= Size + 1, works(N, Size, L, Next);
                _ -> works(N, Size, L, Next)
            end;
        {stop, _} ->
            L =:= [{I, N} || I <- lists:seq(1, Size)] orelse exit(damaged),
            exit({whole, N, lists:sort(maps:to_list(Last))})
    end.
sleeping(N, Size, L, Last) -> works(N, Size, L, Last).

torment(0, _, _) -> ok;
torment(Left, S0, Ws) ->
    S = (S0 * 6364136223846793005 + 1442695040888963407) band 16#ffffffffffffffff,
    W = lists:nth((S bsr 40) rem length(Ws) + 1, Ws),
    case (S bsr 50) rem 6 of
        0 -> true = erlang:garbage_collect(W);
        1 -> true = erlang:suspend_process(W), true = erlang:garbage_collect(W, [{type, minor}]),
        true = erlang:resume_process(W);
        2 -> [{_, M}, {_, T}] = process_info(W, [message_queue_len, total_heap_size]), true = M >= 0 andalso T > 0;
        3 -> R = monitor(process, W), true = link(W), true = unlink(W), true = demonitor(R, [flush]);
        4 -> false = erlang:check_process_code(W, lists);
        5 -> {_, B} = process_info(W, backtrace), true = is_binary(B)
    end,
    torment(Left - 1, S, Ws).
