%% The external format where an encoder or a decoder may change its way: strings that turn out to be lists, sizes around
%% those of buffers, names of every length, terms with something left on every level, maps with the same and other keys.
-module(external_edges).
-export([main/0]).

main() ->
    [show(Name, Terms) || {Name, Terms} <- groups()],
    see:value(cut_short, lists:usort([cut_short(T) || {_, Terms} <- groups(), T <- Terms,
        erlang:external_size(T) < 400])),
    see:value(duplicate_keys, [decode(<<131, 116, N:32, (pairs(Keys))/binary>>)
                               || Keys <- [[1, 1], [1, 2, 1], [2, 1, 2], [a, b, a], lists:seq(1, 40) ++ [7],
                                   lists:seq(40, 1, -1) ++ [7]],
                                  N <- [length(Keys)]]),
    see:value(keys_in_any_order, [decode(<<131, 116, N:32, (pairs(Keys))/binary>>)
                                  || Keys <- [[2, 1], [c, b, a], [<<"b">>, <<"a">>], lists:seq(32, 1, -1)],
                                  N <- [length(Keys)]]),
    see:value(zeros, [decode(<<131, 116, 2:32, (pairs(Keys))/binary>>) || Keys <- [[0.0, 1.0], [-0.0, 1.0],
        [0.0, -0.0]]]),
    see:value(same_maps, begin
        Zeros = [#{0.0 => 1}, #{-0.0 => 1}, #{<<"k">> => 1}, #{<<"k">> => 2}, #{<<"k", 0>> => 3}, #{"k" => 4},
            #{"k" => 5}],
        [term_to_binary(M) || M <- binary_to_term(term_to_binary(Zeros))]
    end),
    see:value(used, [binary_to_term(<<(term_to_binary(T))/binary, 0:800>>, [used]) =:= {T, byte_size(term_to_binary(T))}
                     || {_, Terms} <- groups(), T <- Terms]
                    -- lists:duplicate(length([T || {_, Terms} <- groups(), T <- Terms]), true)).

%% Only few bytes are printed of what is long.
show(Name, Terms) ->
    io:format("~w~n", [Name]),
    lists:foreach(fun(T) ->
        Forms = [term_to_binary(T), term_to_binary(T, [{minor_version, 0}]), term_to_binary(T, [{minor_version, 2}]),
                 term_to_binary(T, [deterministic]), iolist_to_binary(term_to_iovec(T))],
        [B | _] = Forms,
        Sizes = [erlang:external_size(T), erlang:external_size(T, [{minor_version, 0}])],
        Back = [binary_to_term(F) =:= T || F <- Forms] ++ [binary_to_term(F, [safe]) =:= T || F <- Forms],
        Unaligned = <<1:3, B/binary>>,
        <<_:3, Shifted/binary>> = Unaligned,
        io:format("  ~w ~w ~w ~w~n",
            [byte_size(B), Sizes, sums(T, Forms), lists:usort([binary_to_term(Shifted) =:= T | Back])])
    end, Terms).

%% From OTP 26 on the order of atom keys is open, but for the deterministic form.
sums(T, Forms) ->
    Open = lists:member(true, [is_open(M) || M <- maps_in(T)])
        andalso list_to_integer(erlang:system_info(otp_release)) >= 26,
    case Open of
        true -> [erlang:crc32(lists:nth(4, Forms))];
        false -> [erlang:crc32(F) || F <- Forms]
    end.

is_open(Map) -> length([K || K <- maps:keys(Map), is_atom(K)]) > 1.

maps_in(Map) when is_map(Map) -> [Map | maps_in(maps:to_list(Map))];
maps_in(Tuple) when is_tuple(Tuple) -> maps_in(tuple_to_list(Tuple));
maps_in([Head | Tail]) -> maps_in(Head) ++ maps_in(Tail);
maps_in(_) -> [].

groups() ->
    Bytes = lists:seq(0, 255),
    Wide = binary_to_list(binary:copy(<<"0123456789">>, 6554)),
    Sub = binary:copy(<<"abcdefghij">>, 30),
    [{strings, [lists:sublist(Wide, N) || N <- [1, 2, 76, 77, 78, 255, 256, 257, 1020, 1021, 1022, 65534, 65535, 65536,
        65537]]},
     {no_strings, [lists:sublist(Wide, N) ++ Rest || N <- [1, 2, 77, 255, 256, 1000, 65535, 65536],
         Rest <- [[256], [-1], [a], [1.5], tail, [a | 1], ["x"], [1, 2, 300]]]},
     {bytes, [Bytes, lists:reverse(Bytes), Bytes ++ Bytes ++ [256], [Bytes, Bytes], [Bytes | Bytes]]},
     {integers, [[N, -N, N - 1] || S <- lists:seq(0, 70), N <- [1 bsl S]]},
     {limbs, [(1 bsl N) + D || N <- [64, 128, 192, 2032, 2040, 2048, 100000], D <- [-1, 0, 1]]},
     {floats, [[0.0, -0.0, 1.0, -1.5, 1.0e300, 5.0e-324], {1.5, 2.5}]},
     {atoms, [[list_to_atom(lists:duplicate(N, $a)), N] || N <- lists:seq(0, 100) ++ [254, 255]]},
     {latin1, [[list_to_atom(lists:duplicate(N, 16#e5) ++ "x"), N] || N <- [1, 6, 12, 13, 60, 127, 128, 254]]},
     {unicode, [[list_to_atom("x" ++ lists:duplicate(N, 16#3bb)), N] || N <- [1, 6, 13, 60, 127, 128, 254]]},
     {binaries, [[binary:part(Sub, 3, N), binary:copy(<<"y">>, N), N] || N <- lists:seq(0, 20) ++
         [31, 32, 33, 62, 63, 64, 65, 66, 128, 255, 256, 257]]},
     {bits, [[<<(1 bsl N - 2):N>>, <<5:3, (1 bsl N - 2):N>>, unaligned(N), N] || N <- lists:seq(0, 40) ++
         [511, 512, 513, 520, 2001]]},
     {sizes, [[binary:copy(<<"z">>, N), tail] || N <- [900, 1000, 1001, 1002, 1003, 1004, 1010, 1024, 2000, 8000, 8100,
         8192, 20000]]},
     {lists_of_length, [lists:seq(300, 300 + N) || N <- [0, 1, 100, 200, 1600, 1700, 5000, 20000]]},
     {tuples_of_size, [list_to_tuple(lists:seq(1, N)) || N <- [0, 1, 2, 254, 255, 256, 257, 5000]]},
     {left_over, [deep(N, Kind) || Kind <- [first, last, middle, cons, map_key, map_value, improper],
         N <- [1, 2, 7, 8, 9, 40, 3000]]},
     {flat_maps, [maps:from_list([{key(Kind, K), K} || K <- lists:seq(1, N)]) || Kind <- [integer, atom, binary, tuple],
         N <- [0, 1, 2, 31, 32]]},
     {lists_of_maps, [[maps:from_list([{key(Kind, K), [M]} || K <- lists:seq(1, 1 + M rem 4)])
         || M <- lists:seq(1, 40)] || Kind <- [integer, atom, binary, tuple]]},
     {maps_in_maps, [lists:foldl(fun(M, In) -> #{a => In, b => #{a => M, b => In}, {M} => c} end, #{}, [1, 2, 3, 4])]},
     {external_funs, [[fun lists:map/2, fun ?MODULE:main/0]]}].

unaligned(N) ->
    <<_:5, Bits:N/bits>> = <<21:5, (1 bsl N - 3):N>>,
    Bits.

key(integer, K) -> K * 300;
key(atom, K) -> list_to_atom("key_of_edges_" ++ integer_to_list(K));
key(binary, K) -> integer_to_binary(K * 7919);
key(tuple, K) -> {key, K}.

deep(0, _) -> [leaf, "leaf", <<"leaf">>, {}, [], #{}];
deep(N, first) -> {deep(N - 1, first), N, "x"};
deep(N, last) -> {N, "x", deep(N - 1, last)};
deep(N, middle) -> [N, deep(N - 1, middle), x];
deep(N, cons) -> [[deep(N - 1, cons)]];
deep(N, map_key) -> #{deep(N - 1, map_key) => N};
deep(N, map_value) -> #{a => N, b => deep(N - 1, map_value), c => N};
deep(N, improper) -> [N | {deep(N - 1, improper)}].

%% Every shorter prefix is refused.
cut_short(T) ->
    B = term_to_binary(T),
    [] =:= [N || N <- lists:seq(0, byte_size(B) - 1), decode(binary:part(B, 0, N)) =/= badarg].

decode(B) ->
    try {binary_to_term(B), binary_to_term(B, [safe]) =:= binary_to_term(B)} catch error:R -> R end.

pairs(Keys) ->
    << <<(without_version(K))/binary, 97, 1>> || K <- Keys >>.

without_version(T) ->
    <<131, B/binary>> = term_to_binary(T),
    B.
