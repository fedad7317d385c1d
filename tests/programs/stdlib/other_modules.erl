%% base64, calendar, rand (seeded), erl_tar-free utilities, uri_string, timer, zlib, crypto-free hashes.
-module(other_modules).
-export([main/0]).

main() ->
    see:value(base64, [base64:encode(B) || B <- [<<>>, <<"f">>, <<"foobar">>, <<255, 254>>]]),
    see:value(base64_decode, [base64:decode("Zm9vYmFy"), base64:decode(<<"Zg==">>), base64:mime_decode("Zm 9v"), try base64:decode("!!") catch error:_ -> bad end]),
    see:value(calendar, [calendar:day_of_the_week(2024, 2, 29), calendar:is_leap_year(1900), calendar:last_day_of_the_month(2024, 2), calendar:iso_week_number({2021, 1, 3}), calendar:seconds_to_daystime(100000), calendar:gregorian_seconds_to_datetime(63000000000), calendar:rfc3339_to_system_time("2020-01-01T00:00:00Z"), calendar:valid_date(2023, 2, 29)]),
    rand:seed(exsss, {1, 2, 3}),
    see:value(rand, [rand:uniform(100) || _ <- lists:seq(1, 10)]),
    [begin S = rand:seed_s(Alg, 42), {V, S2} = rand:uniform_s(S), {N, S3} = rand:uniform_s(1000000, S2), {G, _} = rand:normal_s(S3), see:value(Alg, {V, N, G}) end || Alg <- [exsss, exro928ss, exrop, exs1024s, exsp, exs64, exsplus, exs1024]],
    see:value(bytes, begin S4 = rand:seed_s(exsss, 1), {B4, _} = rand:bytes_s(10, S4), B4 end),
    see:value(uri, [uri_string:parse("http://user@host:8080/p/a?q=1#f"), uri_string:recompose(#{scheme => "https", host => "h", path => "/x"}), uri_string:quote("a b/λ"), uri_string:dissect_query("a=1&b=2")]),
    see:value(zlib, [zlib:uncompress(zlib:compress(<<"hello hello hello">>)), zlib:gunzip(zlib:gzip(<<"abc">>)), zlib:unzip(zlib:zip(<<"xyz">>)), byte_size(zlib:compress(binary:copy(<<"a">>, 100000))) < 1000]),
    see:value(zlib_stream, begin Z = zlib:open(), ok = zlib:deflateInit(Z, best_compression), A = zlib:deflate(Z, ["part one ", <<"part two">>]), C = zlib:deflate(Z, [], finish), ok = zlib:deflateEnd(Z), zlib:close(Z), zlib:uncompress(iolist_to_binary([A, C])) end),
    see:value(zlib_inflate, begin Z2 = zlib:open(), ok = zlib:inflateInit(Z2), D = zlib:inflate(Z2, zlib:compress(binary:copy(<<"0123456789">>, 1000))), ok = zlib:inflateEnd(Z2), zlib:close(Z2), iolist_size(D) end),
    see:value(zlib_bad, try zlib:uncompress(<<"garbage">>) catch error:E -> E end),
    see:value(erl_anno, erl_anno:line(erl_anno:new(5))),
    see:value(ms_transform, ets:test_ms({1}, [{{'$1'}, [], ['$1']}])),
    see:value(timer_units, [timer:seconds(2), timer:minutes(1), timer:hours(1), timer:hms(1, 2, 3), timer:now_diff({1, 2, 3}, {1, 2, 0})]),
    see:value(os_cmd_free, is_list(os:getenv())),
    see:value(erts_debug, [erts_debug:flat_size({a, [1, 2]}), erts_debug:same(a, a)]),
    see:value(random_is_uniform, begin rand:seed(exsss, 7), H = lists:foldl(fun(_, M) -> maps:update_with(rand:uniform(4), fun(X) -> X + 1 end, 1, M) end, #{}, lists:seq(1, 1000)), lists:sort(maps:to_list(H)) end).
