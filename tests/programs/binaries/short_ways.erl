%% Bit strings, maps, funs and guards where the machine has a short way for the usual case: the usual case, what is just
%% beyond it, and what is wrong with it.
-module(short_ways).
-export([main/0]).

main() ->
    integers(),
    constants(),
    building(),
    appending(),
    failing(),
    characters(),
    funs(),
    guards(),
    maps().

id(X) -> X.

%% Integers of all widths at all places, big and little, signed or not; up to the last bit of the string.
integers() ->
    Bits = << <<(N * 37 + 11)>> || N <- lists:seq(1, 12) >>,
    Sums = [sum(Skip, Bits) || Skip <- lists:seq(0, 15)],
    see:value(integers, erlang:phash2(Sums)),
    see:value(integers_at_seven, lists:nth(8, Sums)),
    Part = binary:part(Bits, 3, 5),
    see:value(of_a_part, sum(1, Part)),
    Heap = <<(id(200)), (id(100))>>,
    see:value(of_two_bytes, sum(0, Heap)),
    see:value(of_nothing, sum(0, <<>>)).

sum(Skip, Bits) ->
    [case Bits of <<_:Skip, A:1, _/bits>> -> A; _ -> no end,
     case Bits of <<_:Skip, A:3, _/bits>> -> A; _ -> no end,
     case Bits of <<_:Skip, A:7/signed, _/bits>> -> A; _ -> no end,
     case Bits of <<_:Skip, A:8/signed, _/bits>> -> A; _ -> no end,
     case Bits of <<_:Skip, A:12, B:4, _/bits>> -> {A, B}; _ -> no end,
     case Bits of <<_:Skip, A:16/little, _/bits>> -> A; _ -> no end,
     case Bits of <<_:Skip, A:16/little-signed, _/bits>> -> A; _ -> no end,
     case Bits of <<_:Skip, A:24/little, _/bits>> -> A; _ -> no end,
     case Bits of <<_:Skip, A:24/native, _/bits>> -> A; _ -> no end,
     case Bits of <<_:Skip, A:13/little, _/bits>> -> A; _ -> no end,
     case Bits of <<_:Skip, A:32/signed, _/bits>> -> A; _ -> no end,
     case Bits of <<_:Skip, A:48, _/bits>> -> A; _ -> no end,
     case Bits of <<_:Skip, A:56/little, _/bits>> -> A; _ -> no end,
     case Bits of <<_:Skip, A:57/signed, _/bits>> -> A; _ -> no end,
     case Bits of <<_:Skip, A:58/signed, _/bits>> -> A; _ -> no end,
     case Bits of <<_:Skip, A:64, _/bits>> -> A; _ -> no end,
     case Bits of <<_:Skip, A:64/signed-little, _/bits>> -> A; _ -> no end,
     case Bits of <<_:Skip, A:65, _/bits>> -> A; _ -> no end].

%% Short constants, matched at once, at any bit.
constants() ->
    Try = fun(Bits) ->
                  case Bits of
                      <<"GET ", _/binary>> -> get;
                      <<"longer than eight bytes", _/bits>> -> long;
                      <<5:3, "x", _/bits>> -> odd;
                      <<0:57, _/bits>> -> zeros;
                      <<1:1, "GET", _/bits>> -> shifted;
                      <<>> -> empty;
                      _ -> other
                  end
          end,
    see:value(constants,
              [Try(B) || B <- [<<"GET /">>, <<"GET">>, <<"longer than eight bytes!">>, <<5:3, "x">>, <<5:3, "y">>,
                               <<0:57>>, <<0:56>>, <<1:1, "GET">>, <<>>, <<1:1>>, <<"G">>]]).

%% Strings of whole bytes out of pieces of any size, and those that are none.
building() ->
    Values = [0, 1, -1, 255, 16#123456789a, -16#123456789a, 1 bsl 59, -(1 bsl 59), 1 bsl 64 + 5, -(1 bsl 70)],
    see:value(built, [build(V, P) || V <- Values, P <- [<<>>, <<"abc">>, binary:copy(<<"0123456789">>, 8)]]),
    see:value(sized, [<<1:4, 2:12, (<<"abcdef">>):N/binary, 3:7, 1:1>> || N <- [0, 1, 6]]),
    see:value(bits, [<<(<<5:3>>)/bits, 1:5>>, <<(<<"ab">>)/bits, 1:8>>, <<1:3, 2:2>>]),
    Part = binary:part(<<"0123456789">>, 2, 3),
    <<_:3, Odd:16/bits, _/bits>> = <<"0123456789">>,
    see:value(of_parts, [<<Part/binary, 0, Part/binary>>, <<Odd/bits, 7>>, <<1, Odd/binary>>]).

build(V, P) ->
    <<V:4, V:4, V:16/little, V:24, (byte_size(P)):16, P/binary, "text", V:56, V:64/little, V:32/native, P/binary, V>>.

%% Appending: to the one that may grow, to older ones, beyond the room, to what was copied.
appending() ->
    Long = grow(1000, <<>>),
    see:value(grown, {byte_size(Long), erlang:phash2(Long)}),
    Base = <<(grow(300, <<>>))/binary, "x">>,
    A = <<Base/binary, "a">>,
    B = <<Base/binary, "b">>,
    C = <<A/binary, "c", 1:16, Base/binary>>,
    see:value(branches, [binary:last(A), binary:last(B), byte_size(C), erlang:phash2(C), byte_size(Base)]),
    D = <<Base/binary, 1:1>>,
    see:value(odd, [bit_size(D), bit_size(<<D/bits, 1:7>>), bit_size(<<D/bits, "ab">>)]),
    <<_:290/binary, Rest/binary>> = A,
    E = <<A/binary, Rest/binary>>,
    erlang:garbage_collect(),
    see:value(after_matching, [Rest, binary:part(E, byte_size(E) - 14, 14), binary:last(<<E/binary, $e>>)]),
    Self = self(),
    spawn(fun() -> Self ! {grown, <<A/binary, "elsewhere">>} end),
    receive {grown, F} -> see:value(elsewhere, {byte_size(F), binary:last(<<A/binary, "here">>)}) end,
    see:value(nothing, <<A/binary, (id(<<>>))/binary>> =:= A),
    see:value(comprehension, erlang:phash2(<< <<X:3, X:5, (X * X):16>> || X <- lists:seq(1, 500) >>)).

grow(0, Done) -> Done;
grow(N, Done) -> grow(N - 1, <<Done/binary, N>>).

%% What cannot be put into a string, and what it says.
failing() ->
    [see:value(V, try build_of(V) catch C:R -> {C, R} end)
     || V <- [a, 1.5, <<1:1>>, <<1>>, [], {}, 7]],
    see:value(sizes, [try <<(id(B)):N/binary>> catch C:R -> {C, R} end
                      || {B, N} <- [{<<"abc">>, 4}, {<<"abc">>, -1}, {<<"abc">>, a}, {<<"abc">>, 1 bsl 70}, {abc, 1}]]),
    see:value(append_to, [try <<(id(B))/binary, 1>> catch C:R -> {C, R} end || B <- [abc, <<1:3>>, [<<"a">>]]]),
    see:value(utf8, [try <<"x", (id(C0))/utf8>> catch C:R -> {C, R} end
                     || C0 <- [$a, 16#7f, 16#80, 16#20ac, 16#10ffff, 16#110000, 16#d800, -1, a]]).

build_of(V) -> [<<1, V>>, <<1, V/binary>>].

characters() ->
    Text = <<"a", 16#20ac/utf8, "b", 16#1f600/utf8, 16#7f/utf8>>,
    see:value(characters, [C || <<C/utf8>> <= Text]),
    see:value(shifted, case <<1:1, Text/binary>> of <<_:1, C1/utf8, C2/utf8, _/bits>> -> {C1, C2} end),
    see:value(broken, [case B of <<C/utf8, _/bits>> -> C; _ -> no end
                       || B <- [<<>>, <<16#80>>, <<16#e2, 16#82>>, <<$a:7>>, <<16#ff>>, <<$z>>]]).

%% Funs with free variables and without, of the wrong arity, and none.
funs() ->
    {A, B, C} = {id(1), id(2), id(3)},
    Funs = [fun() -> A end, fun(X) -> X + A end, fun(X, Y) -> [X, Y, A, B, C] end, fun id/1, fun erlang:abs/1,
            fun(X) -> fun(Y) -> {X, Y, A, B} end end, not_a_fun],
    see:value(funs, [try F(id(-5)) of
                         G when is_function(G) -> G(6);
                         V -> V
                     catch error:{E, _} -> E end || F <- Funs]),
    see:value(two, [try F(1, 2) catch error:E -> element(1, E) end || F <- Funs]),
    see:value(last, [try last(F, -7) catch error:E -> element(1, E) end || F <- lists:sublist(Funs, 5)]).

last(F, X) -> F(X).

guards() ->
    Small = (1 bsl 59) - 1,
    see:value(abs, [try abs(id(X)) catch error:E -> E end
                    || X <- [0, 5, -5, Small, -Small, -Small - 1, Small + 1, -1.5, a]]),
    Sizes = [<<>>, <<"ab">>, <<1:3>>, <<1:11>>, binary:copy(<<1>>, 100), binary:part(binary:copy(<<1>>, 100), 3, 70),
        a],
    see:value(byte_size, [try byte_size(id(X)) catch error:E -> E end || X <- Sizes]),
    Lists = [[], [1], lists:seq(1, 255), lists:seq(1, 256), lists:seq(1, 1000), [1 | 2], a],
    see:value(length, [try length(id(X)) catch error:E -> E end || X <- Lists]),
    see:value(guarded, [if abs(X) > 3 -> big; length(X) > 1 -> long; byte_size(X) > 1 -> bytes; true -> other end
                        || X <- [4, -9, 1, [1, 2], [1], <<"ab">>, <<1:9>>, a]]),
    Tuples = [{}, {a}, {a, b}, list_to_tuple(lists:seq(1, 100)), [a], a],
    see:value(element, [[try element(1, id(T)) catch error:E1 -> E1 end, try element(2, id(T)) catch error:E2 -> E2 end,
                         try element(100, id(T)) catch error:E3 -> E3 end] || T <- Tuples]).

maps() ->
    M = #{a => 1, b => 2, c => 3, 4 => 5, {x, y} => 6},
    see:value(exact, [try M#{a := X, 4 := X} catch error:E -> E end || X <- [1, 2]]),
    see:value(assoc, [M#{a => 9}, M#{d => 9}, M#{a => 9, {x, y} => 8}, M#{a => 9, a => 10}, M#{b := 2}]),
    see:value(missing, [try (id(N))#{a := 1, zz := 2} catch error:E -> E end || N <- [M, #{}, a]]),
    Large = maps:from_list([{N, N * N} || N <- lists:seq(1, 5000)] ++ [{{k, N}, N} || N <- lists:seq(1, 100)]),
    see:value(large, [lists:sum([case Large of #{N := V} -> V; _ -> 0 end || N <- lists:seq(0, 6000)]),
                      [case Large of #{{k, N} := V} -> V; _ -> no end || N <- [0, 1, 100, 101]],
                      map_size(Large#{1 := one, 6000 => new})]),
    Keys = [{b_var, 1}, {b_var, 2}, {b_var, {2, 3}}, {b_var, [2]}, {b_var, 2.0}, {b_var}, [b_var | 1], "b_var"],
    Tagged = maps:from_list([{K, K} || K <- Keys]),
    see:value(tagged, [maps:get(id(K), Tagged, none) =:= K || K <- Keys ++ [{b_var, 3}, {b_var, {2, 4}}, {b_vax, 1}]]).
