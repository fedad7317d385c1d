%% length/1 of lists so long that it is put off in between: in bodies and guards, at the beginning of a function, beside
%% floats, of improper lists, while others run and collect.
%% timeout: 60
-module(long_lengths).
-export([main/0, first/3, begins/2]).

main() ->
    Long = lists:seq(1, 1000000),
    Improper = improper(lists:seq(1, 600000), tail),
    see:value(body, length(Long)),
    see:value(guard, [guarded(L) || L <- [Long, Improper, tl(Long), [], x]]),
    see:fails([fun() -> length(Improper) end, fun() -> length(see:id([a | b])) end, fun() -> length(see:id(a)) end,
               fun() -> 1 + length(tl(Improper)) end]),
    see:value(first, [first(Long, a, b), first(tl(Long), a, b)]),
    see:value(caught, [catch begins(Improper, x), begins(Long, x)]),
    see:value(floats, floats(Long, 1.5)),
    see:value(twice, {length(Long) + length(tl(Long)), both(Long, tl(Long))}),
    see:value(applied, [apply(erlang, length, [Long]), (fun erlang:length/1)(Long),
        lists:map(fun length/1, [Long, []])]),
    see:value(in_match, [X || {X, L} <- [{a, Long}, {b, []}, {c, Improper}], length(L) > 10]),
    many(Long),
    received(Long),
    collected().

improper([X], Tail) -> [X | Tail];
improper([X | Rest], Tail) -> [X | improper(Rest, Tail)].

guarded(L) when length(L) > 999999 -> long;
guarded(L) when length(L) =:= 999999; L =:= x -> {nearly, is_list(L)};
guarded([]) -> empty;
guarded(_) -> other.

first(L, A, B) when length(L) =:= 1000000 -> {A, B, hd(L)};
first(L, A, B) -> {B, A, hd(L)}.

begins(L, X) -> {length(L), X}.

floats(L, X) ->
    A = X * 2.5,
    B = A + length(L),
    C = A * B - length(tl(L)) / X,
    {A, B, C}.

both(A, B) when length(A) > length(B), length(B) > 10 -> true;
both(_, _) -> false.

%% Several at a time, which take turns.
many(Long) ->
    Me = self(),
    Pids = [spawn_link(fun() -> L = lists:nthtail(N, Long), Me ! {self(), length(L), guarded(L)} end)
        || N <- lists:seq(0, 7)],
    see:value(many, [receive {P, X, Y} -> {X, Y} end || P <- Pids]).

%% In the guard of a receive that has a timeout.
received(Long) ->
    self() ! {list, [1]}, self() ! {list, tl(Long)}, self() ! {list, Long},
    see:value(received, receive {list, R} when length(R) =:= 1000000 -> yes after 10000 -> no end),
    see:value(left, [receive {list, L} -> length(L) end || _ <- [1, 2]]).

%% The list moves while it is counted.
collected() ->
    Me = self(),
    Pid = spawn_link(fun() ->
                             L = lists:seq(1, 500000),
                             Me ! {self(), counts},
                             Me ! {self(), [length(L) || _ <- lists:seq(1, 50)], erlang:md5(term_to_binary(L))}
                     end),
    receive {Pid, counts} -> ok end,
    [erlang:garbage_collect(Pid) || _ <- lists:seq(1, 30)],
    see:value(collected, receive {Pid, Ns, Md5} -> {lists:usort(Ns), Md5} end).
