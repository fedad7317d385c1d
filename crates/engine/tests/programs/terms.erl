%% Maps, floats and bit strings: functions of one integer whose answers are compared with those of the stock machine.
-module(terms).
-compile([export_all, nowarn_export_all]).

id(X) -> X.

reason(F) -> try F() catch error:Reason -> Reason end.

%% Maps.
flat_map(N) ->
    M = #{a => N + 1, b => one},
    #{a := A, b := B} = M2 = M#{c => 3},
    C = case M of #{c := X} -> X; #{} -> none end,
    [A, B, C, map_size(M2)].

hash_map(N) ->
    M = fill(N, #{}),
    #{50 := Half} = M,
    None = case M of #{0 := X} -> X; _ -> none end,
    M2 = M#{50 => Half, 51 => 51},
    [map_size(M), map_size(M2), Half, None].
fill(0, M) -> M;
fill(N, M) -> fill(N - 1, M#{N => N}).

map_update(N) ->
    M = #{k => N, l => b},
    #{k := K, l := L} = M#{k := N},
    [{K, L}, reason(fun() -> M#{nokey := 1} end), reason(fun() -> (id(N))#{a => 1} end)].

map_keys(N) ->
    M = #{N => 1, {x, N} => 2, "s" => 3},
    [keys(M, N), keys(M, N + 1)].
keys(M, N) ->
    Tuple = {x, N},
    case M of
        #{N := _, Tuple := _, "s" := _} -> found;
        _ -> missing
    end.

%% Tuples of constants of every width.
tuples(N) ->
    [{N, "text", b}, {N, 16#7fffffffffff, -1, <<"binary">>}, {a, -5, N, [], {x}, N},
     {1, 2, 3, N}, {N, N, N, N, 1.5, 123456789012345678901234567890}, wide(N), wide(-9), wide(1 bsl 40)].
wide(16#7fffffffffff) -> a;
wide(-9) -> b;
wide(1099511627776) -> c;
wide(_) -> d.

%% Short BIFs.
short_bifs(N) ->
    T = id({N, b, c}), L = id([N, 2]), M = id(#{N => 1}),
    [element(1, T), element(id(3), T), tuple_size(T), hd(L), tl(L), map_size(M), not (id(N) =:= 1),
     reason(fun() -> element(4, id(T)) end), reason(fun() -> element(0, id(T)) end),
     reason(fun() -> element(id(0), id(T)) end), reason(fun() -> element(id(4), id(T)) end),
     reason(fun() -> element(1, id(a)) end), reason(fun() -> element(id(1), id([])) end),
     reason(fun() -> hd(id([])) end), reason(fun() -> tl(id({})) end),
     reason(fun() -> tuple_size(id([])) end), reason(fun() -> map_size(id({})) end),
     reason(fun() -> not id(N) end), compare(N, id(3)), compare(N, id(a)), compare(id({N}), {N})].
compare(A, B) ->
    [A =:= B, A =/= B, A == B, A /= B, A < B, A >= B, A > B, A =< B].

%% Floats.
floats(N) ->
    F = to_float(N),
    [F + 0.5, F - 0.5, F * 2, F / 0.5, -F, to_float(N)].
to_float(N) when is_float(N) -> N;
to_float(N) -> N + 0.0.
float_errors(_) ->
    Big = id(1.0e308),
    [reason(fun() -> Big * 10.0 end), reason(fun() -> id(1.0) / id(0.0) end),
     reason(fun() -> to_float(id(a)) end)].

%% Matching.
integers(N) ->
    <<A, B>> = <<N:16>>,
    <<C:16/little>> = <<N:16/little>>,
    <<D:8/signed, _>> = <<N:16/little, 0:0>>,
    [A, B, C, id(D) - 256, tail_bits(<<1:3, N:3>>)].
tail_bits(<<_:3, Rest/bits>>) -> bit_size(Rest).

big_integers(N) ->
    B = id(<<1:8, N:64>>),
    <<X:72>> = B,
    <<1, Y:64>> = B,
    [X, Y, B =:= <<X:72>>].

strings(_) ->
    [string(<<"hello">>), string(<<"help!">>), tail(<<"hello">>), whole(<<"hello">>),
     byte_size(id(<<"hello">>))].
string(<<"hello">>) -> yes;
string(_) -> no.
tail(<<"hel", Rest/binary>>) -> Rest.
whole(<<B/binary>>) -> B.

unaligned(N) ->
    <<_:4, A:8, B:10/unsigned, _:2, C:2/binary, _/bits>> = <<0:4, N:8, -1:10, 0:2, "ab", 0:3>>,
    <<_:29, D:2, _/bits>> = <<0:29, 3:2, 1:1>>,
    [A, B, C, D].

utf(C) ->
    U8 = <<C/utf8, "a">>,
    <<A/utf8, B/utf8>> = U8,
    <<_/utf8, Rest/binary>> = id(U8),
    1 = byte_size(Rest),
    <<D/utf16>> = <<C/utf16>>,
    <<E/utf32-little>> = <<C/utf32-little>>,
    [A, B, byte_size(U8) - 1, D, E].
utf_invalid(_) ->
    [reason(fun() -> <<(id(-1))/utf8>> end), case id(<<255, 1>>) of <<_/utf8, _/bits>> -> good; _ -> bad end].

%% Building.
building(N) ->
    B = id(<<"bc">>),
    [<<N:16/little, $x>>, <<"a", B/binary>>, byte_size(<<B:1/binary, 0:N/unit:4, 0:4>>),
     reason(fun() -> <<(id(a)):8>> end)].

appended(N) ->
    B = append(N, <<>>),
    <<First, _/binary>> = B,
    [byte_size(B), last(B), First].
append(0, Acc) -> Acc;
append(N, Acc) -> append(N - 1, <<Acc/binary, N:8>>).
last(B) ->
    Skip = byte_size(B) - 1,
    <<_:Skip/binary, Last>> = B,
    Last.

comprehension(N) ->
    L = upto(1, N),
    B = << <<(2 * X)>> || X <- L >>,
    [B, [X div 2 || <<X>> <= B]].
upto(N, N) -> [N];
upto(I, N) -> [I | upto(I + 1, N)].

packet(Tag) ->
    Payload = id(<<"payload">>),
    parse(<<Tag:8, (byte_size(Payload)):16, Payload/binary, "rest">>).
parse(<<Tag, Size:16, Payload:Size/binary, Rest/binary>>) -> {Tag, Payload, Rest}.

walk(N) -> walk(zeros(N, <<>>), 0).
zeros(0, B) -> B;
zeros(N, B) -> zeros(N - 1, <<B/binary, 0>>).
walk(<<0, Rest/binary>>, N) -> walk(Rest, N + 1);
walk(<<>>, N) -> N.
