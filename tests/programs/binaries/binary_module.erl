%% The binary module's BIFs.
-module(binary_module).
-export([main/0]).

main() ->
    B = <<"the cat sat on the mat">>,
    see:value(match, [binary:match(B, <<"at">>), binary:match(B, [<<"on">>, <<"sat">>]), binary:match(B, <<"dog">>), binary:match(B, <<"the">>, [{scope, {1, 20}}])]),
    see:value(matches, [binary:matches(B, <<"at">>), binary:matches(B, [<<"the">>, <<"t">>, <<"th">>]), binary:matches(<<"aaaa">>, <<"aa">>), binary:matches(B, <<"q">>)]),
    P = binary:compile_pattern([<<"a">>, <<"o">>]),
    see:value(compiled, binary:matches(B, P)),
    see:value(split, [binary:split(B, <<" ">>), binary:split(B, <<" ">>, [global]), binary:split(<<",a,,b,">>, <<",">>, [global, trim]),
                      binary:split(<<",a,,b,">>, <<",">>, [global, trim_all]), binary:split(B, [<<"cat">>, <<"mat">>], [global])]),
    see:value(replace, [binary:replace(B, <<"at">>, <<"og">>), binary:replace(B, <<"at">>, <<"og">>, [global]), binary:replace(B, <<"a">>, <<"[]">>, [{insert_replaced, 1}, global])]),
    see:value(part, [binary:part(B, 4, 3), binary:part(B, {7, -3}), binary:part(B, byte_size(B), 0), binary_part(B, 0, 3)]),
    see:value(at, [binary:at(B, 0), binary:first(B), binary:last(B)]),
    see:value(copy, [binary:copy(<<"ab">>), binary:copy(<<"ab">>, 3), binary:copy(<<"ab">>, 0)]),
    see:value(lists, [binary:bin_to_list(B, 0, 3), binary:bin_to_list(<<1, 2>>), binary:list_to_bin([1, <<2>>, "3"])]),
    see:value(common, [binary:longest_common_prefix([<<"erlang">>, <<"ergonomic">>]), binary:longest_common_suffix([<<"ating">>, <<"ming">>]), binary:longest_common_prefix([<<"a">>])]),
    see:value(unsigned, [binary:encode_unsigned(N) || N <- [0, 255, 256, 1 bsl 64, 16#123456789abcdef0123]]),
    see:value(unsigned_little, [binary:encode_unsigned(N, little) || N <- [0, 255, 256, 1 bsl 64]]),
    see:value(decoded, [binary:decode_unsigned(<<1, 2, 3>>), binary:decode_unsigned(<<1, 2, 3>>, little), binary:decode_unsigned(<<>>), binary:decode_unsigned(<<1, 0:64>>)]),
    see:value(hex, [binary:encode_hex(<<"foo", 255>>), binary:decode_hex(<<"666F6fff">>)]),
    Large = binary:copy(<<"abcdefghij">>, 20000),
    see:value(large, [length(binary:matches(Large, <<"ij">>)), binary:match(Large, <<"ja">>, [{scope, {100000, 1000}}]), byte_size(binary:replace(Large, <<"e">>, <<>>, [global])),
                      length(binary:split(Large, [<<"b">>, <<"gh">>], [global]))]),
    see:value(referenced, [binary:referenced_byte_size(binary:part(Large, 10, 100)) =:= byte_size(Large), binary:referenced_byte_size(binary:copy(binary:part(Large, 10, 100)))]),
    see:fails([fun() -> binary:match(B, <<>>) end, fun() -> binary:match(B, see:id([])) end, fun() -> binary:part(B, 20, 10) end, fun() -> binary:at(B, see:id(-1)) end,
               fun() -> binary:first(see:id(<<>>)) end, fun() -> binary:copy(B, see:id(-1)) end, fun() -> binary:split(B, <<" ">>, [bad]) end,
               fun() -> binary:compile_pattern(see:id(x)) end, fun() -> binary:decode_unsigned(see:id(a)) end, fun() -> binary:longest_common_prefix([]) end,
               fun() -> binary:decode_hex(<<"xyz">>) end, fun() -> binary:bin_to_list(<<1:1>>) end]).
