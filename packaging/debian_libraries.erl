%% Loads the native libraries of Debian's Erlang packages and calls their functions; `packaging/libraries.sh` runs it on
%% both machines. A line a call: package, library, call, result. Results must not depend on the machine.
-module(debian_libraries).
-export([start/0]).

-define(MS, 20000).

start() ->
    logger:set_primary_config(level, none),
    process_flag(trap_exit, true),
    [told(Package, Library, Name, Fun) || {Package, Library, Calls} <- libraries(), {Name, Fun} <- Calls],
    halt().

told(Package, Library, Name, Fun) ->
    {Pid, Monitor} = spawn_monitor(fun() -> exit({result, Fun()}) end),
    Result = receive
                 {'DOWN', Monitor, process, Pid, {result, Value}} -> Value;
                 {'DOWN', Monitor, process, Pid, {Reason, [_ | _]}} -> {failed, Reason};
                 {'DOWN', Monitor, process, Pid, Reason} -> {failed, Reason}
             after ?MS -> exit(Pid, kill), no_answer
             end,
    io:format("~s | ~s | ~s | ~0tp~n", [Package, Library, Name, shown(Result)]).

shown(B) when is_binary(B), byte_size(B) > 60 -> {bytes, byte_size(B), erlang:crc32(B)};
shown(R) when is_reference(R) -> a_reference;
shown(P) when is_pid(P) -> a_pid;
shown(P) when is_port(P) -> a_port;
shown({'EXIT', {Reason, [{_, _, _, _} | _]}}) -> {raised, shown(Reason)};
shown([H | T]) -> [shown(H) | shown(T)];
shown(T) when is_tuple(T) -> list_to_tuple(shown(tuple_to_list(T)));
shown(Other) -> Other.

libraries() ->
    [{"erlang-jiffy", "jiffy.so",
      [{"decode", fun() -> jiffy:decode(json(), [return_maps]) end},
       {"encode", fun() -> iolist_to_binary(jiffy:encode({[{<<"a">>, [1, 2.5, null, true, <<"\"å"/utf8>>]},
           {<<"b">>, {[]}}]}, [pretty])) end},
       {"a long text, which takes more than one slice", fun() ->
            Term = [[{[{<<"key">>, N}, {<<"text">>, <<"some text">>}]} || N <- lists:seq(1, 20000)]],
            Text = iolist_to_binary(jiffy:encode(Term)),
            {byte_size(Text), jiffy:decode(Text) =:= Term}
        end},
       {"wrong texts", fun() -> [catch jiffy:decode(Text) || Text <- [<<>>, <<"{">>, <<"[1,]">>, <<"\"", 255, "\"">>,
           <<"1e999">>]] end},
       {"wrong terms", fun() -> [catch jiffy:encode(Term) || Term <- [{a}, self, [<<255>>], make_tuple]] end}]},
     {"erlang-p1-cache-tab", "ets_cache.so",
      [{"counters", fun() ->
            {ok, _} = application:ensure_all_started(cache_tab),
            ok = ets_cache:new(t, [{max_size, 100}]),
            [ets_cache:insert(t, N, N * N) || N <- lists:seq(1, 50)],
            {ets_cache:lookup(t, 7), ets_cache:lookup(t, 70), ets_cache:incr(t, c, 5), ets_cache:incr(t, c, 5),
                proplists:get_value(size, ets_cache:info(t))}
        end}]},
     {"erlang-p1-iconv", "iconv.so",
      [{"convert", fun() -> ok = iconv:load_nif(),
          [iconv:convert(From, To, Text) || {From, To, Text} <- [{<<"utf-8">>, <<"latin1">>, <<"åä"/utf8>>},
          {<<"latin1">>, <<"utf-16">>, <<229, 228>>},
                                                                                  {<<"koi8-r">>, <<"utf-8">>,
                                                                                      <<193, 194, 215>>}, {<<"none">>,
                                                                                  <<"utf-8">>, <<"a">>}]] end}]},
     {"erlang-p1-mqtree", "mqtree.so",
      [{"a tree", fun() ->
            T = mqtree:new(),
            [ok = mqtree:insert(T, Path) || Path <- ["/a/b/c", "/a/+/c", "/a/#", "x/y", <<"z">>, "/a/b/c"]],
            {mqtree:is_empty(T), mqtree:size(T), lists:sort(mqtree:match(T, "/a/b/c")), mqtree:refc(T, "/a/b/c"),
                mqtree:delete(T, "/a/b/c"), mqtree:refc(T, "/a/b/c"),
             lists:sort(mqtree:to_list(T)), catch mqtree:insert(T, "a/#/b"), mqtree:clear(T), mqtree:size(T)}
        end},
       {"registered trees", fun() ->
            T = mqtree:new(),
            {mqtree:register(tree, T), mqtree:registered(), is_reference(mqtree:whereis(tree)),
                catch mqtree:register(tree, T), mqtree:unregister(tree), mqtree:whereis(tree)}
        end},
       {"trees that are collected",
           fun() -> [begin T = mqtree:new(), mqtree:insert(T, "a/" ++ integer_to_list(N)) end
           || N <- lists:seq(1, 20000)], garbage_collect() end}]},
     {"erlang-p1-sip", "esip_drv.so",
      [{"codec", fun() ->
            esip_codec:start(),
            {esip_codec:split(<<"a, b,c">>, $,), esip_codec:str(<<"abcdef">>, <<"cd">>),
                esip_codec:strcasecmp(<<"ABC">>, <<"abc">>), esip_codec:to_lower(<<"AbC">>),
             esip_codec:match(<<"a*c">>, <<"abc">>), catch esip_codec:to_integer(<<"123">>, 0, 1000),
             catch esip_codec:decode_uri(<<"sip:alice@example.org:5060;transport=tcp">>)}
        end}]},
     {"erlang-p1-sqlite3", "sqlite3_drv.so",
      [{"a data base in memory", fun() ->
            {ok, _} = sqlite3:open(db, [in_memory]),
            [sqlite3:create_table(db, t, [{id, integer, [primary_key]}, {name, text}, {data, blob}]),
             [sqlite3:write(db, t, [{name, "name" ++ integer_to_list(N)}, {data, {blob, <<N:64>>}}]) || N <- [1, 2, 3]],
             sqlite3:read(db, t, {id, 2}), sqlite3:sql_exec(db, "select count(*), max(name) from t"),
             sqlite3:sql_exec(db, "select nothing"),
             sqlite3:sql_exec(db, "select * from t where id > ? and name < ?", [1, "name3"]), sqlite3:list_tables(db),
             sqlite3:table_info(db, t), sqlite3:changes(db), sqlite3:close(db)]
        end},
       {"many rows", fun() ->
            {ok, _} = sqlite3:open(db, [in_memory]),
            sqlite3:create_table(db, t, [{a, integer}]),
            sqlite3:write_many(db, t, [[{a, N}] || N <- lists:seq(1, 5000)]),
            [{columns, _}, {rows, Rows}] = sqlite3:read_all(db, t),
            {length(Rows), lists:last(Rows), sqlite3:close(db)}
        end}]},
     {"erlang-p1-stringprep", "stringprep.so",
      [{"prepare", fun() ->
            catch stringprep:start(),
            [stringprep:F(T) || {F, T} <- [{nodeprep, <<"Alice">>}, {nodeprep, <<"a@b">>},
                {nameprep, <<"EXAMPLE.org">>}, {resourceprep, <<"Å"/utf8>>}, {tolower, <<"ÄÖ"/utf8>>},
                                           {nodeprep, <<>>}, {tolower_nofilter, <<"ABC">>}, {resourceprep, <<255>>}]]
        end}]},
     {"erlang-p1-tls", "p1_sha.so",
      [{"sums", fun() -> [p1_sha:F(<<"abc">>) || F <- [sha, sha1, sha224, sha256, sha384, sha512]] end}]},
     {"erlang-p1-tls", "fast_tls.so",
      [{"a handshake with ssl", fun tls_handshake/0}]},
     {"erlang-p1-xml", "fxml.so",
      [{"text of elements",
          fun() -> fxml:element_to_binary({xmlel, <<"a">>, [{<<"k">>, <<"<&>\"'">>}],
          [{xmlcdata, <<"x < y">>}, {xmlel, <<"b">>, [], []}]}) end},
       {"escaped", fun() -> [fxml:crypt(<<"<a & 'b'>">>), catch fxml:element_to_binary(wrong)] end}]},
     {"erlang-p1-xml", "fxml_stream.so",
      [{"an element", fun() -> [fxml_stream:parse_element(T) || T <- [<<"<a x='1'><b>text</b>&lt;<![CDATA[<c>]]></a>">>,
          <<"<a>">>, <<"<a></b>">>, <<"å"/utf8>>]] end},
       {"a stream", fun() ->
            S = fxml_stream:new(self()),
            S2 = lists:foldl(fun(Part, Stream) -> fxml_stream:parse(Stream, Part) end, S,
                [<<"<stream ver">>, <<"sion='1'><a>x">>, <<"</a><b/>">>, <<"</stream>">>]),
            true = fxml_stream:close(S2),
            (fun Got() -> receive M -> [M | Got()] after 0 -> [] end end)()
        end}]},
     {"erlang-p1-xmpp", "jid.so, xmpp_uri.so, xmpp_lang.so",
      [{"names", fun() -> catch jid:start(), catch stringprep:start(), [jid:decode(<<"Alice@Example.org/Home">>),
          jid:encode({<<"a">>, <<"b">>, <<"c">>}), catch jid:decode(<<"@">>), jid:split(jid:decode(<<"a@b">>))] end},
       {"addresses, languages", fun() ->
            catch xmpp_uri:start(), catch xmpp_lang:start(),
            [catch xmpp_uri:check(<<"http://a.b/c?d=e#f">>), catch xmpp_uri:check(<<"not one">>),
                catch xmpp_lang:check(<<"en-GB">>), catch xmpp_lang:check(<<"-">>)]
        end}]},
     {"erlang-p1-yaml", "fast_yaml.so",
      [{"decode", fun() ->
            catch fast_yaml:start(),
            [fast_yaml:decode(T, O) || {T, O} <- [{<<"a: 1\nb: [x, 2.5, 'y z']\nc:\n  - d\n  - {e: f}\n">>, []},
                {<<"a: 1">>, [plain_as_atom]}, {<<"a: [">>, []}, {<<"- ~\n- true\n">>, [sane_scalars]}]]
        end},
       {"encode", fun() -> iolist_to_binary(fast_yaml:encode([{<<"a">>, 1}, {<<"b">>, [<<"c">>, 2.5]}])) end}]},
     {"erlang-p1-zlib", "ezlib.so",
      [{"there and back", fun() ->
            {ok, _} = application:ensure_all_started(ezlib),
            One = ezlib:new(), Other = ezlib:new(),
            Text = binary:copy(<<"some text ">>, 1000),
            {ok, Small} = {ok, iolist_to_binary(element(2, {ok, case ezlib:compress(One, Text) of {ok, C} -> C; C -> C
                end}))},
            Back = case ezlib:decompress(Other, Small) of {ok, D} -> D; D -> D end,
            {byte_size(Small) < 1000, iolist_to_binary(Back) =:= Text, catch ezlib:decompress(Other, <<"rubbish">>)}
        end}]},
     {"erlang-bitcask", "bitcask.so",
      [{"a key directory", fun() ->
            {ok, D} = bitcask_nifs:keydir_new(),
            [bitcask_nifs:keydir_put(D, <<N:32>>, 1, 10, N, 5, 0) || N <- lists:seq(1, 1000)],
            {element(1, bitcask_nifs:keydir_info(D)), bitcask_nifs:keydir_get(D, <<7:32>>),
                bitcask_nifs:keydir_get(D, <<"none">>), bitcask_nifs:keydir_remove(D, <<7:32>>),
             bitcask_nifs:keydir_get(D, <<7:32>>), bitcask_nifs:keydir_release(D)}
        end},
       {"a file", fun() ->
            {ok, F} = bitcask_nifs:file_open("bitcask.file", [create]),
            [bitcask_nifs:file_write(F, <<"some bytes">>), bitcask_nifs:file_pread(F, 5, 5),
                bitcask_nifs:file_pwrite(F, 0, <<"SOME">>), bitcask_nifs:file_seekbof(F),
             bitcask_nifs:file_read(F, 20), bitcask_nifs:file_sync(F), bitcask_nifs:file_truncate(F),
             bitcask_nifs:file_close(F), bitcask_nifs:file_open("none/file", [])]
        end},
       {"a store", fun() ->
            os:cmd("rm -rf bitcask.store"),
            Store = bitcask:open("bitcask.store", [read_write]),
            [bitcask:put(Store, <<N:32>>, <<N:64>>) || N <- lists:seq(1, 500)],
            {bitcask:get(Store, <<3:32>>), bitcask:delete(Store, <<3:32>>), bitcask:get(Store, <<3:32>>),
                length(bitcask:list_keys(Store)),
             bitcask:fold(Store, fun(_, V, Sum) -> Sum + binary:decode_unsigned(V) end, 0), bitcask:close(Store)}
        end}]},
     {"erlang-cl", "cl_nif.so",
      [{"loaded without libOpenCL", fun() -> code:ensure_loaded(cl) end}]},
     {"yaws", "setuid_drv.so",
      [{"loaded", fun() ->
            Loaded = erl_ddll:load_driver(os:getenv("YAWS_LIBRARIES"), "setuid_drv"),
            Port = open_port({spawn, "setuid_drv g"}, []),
            Said = receive {Port, {data, D}} -> D after 1000 -> none end,
            {Loaded, Said}
        end}]},
     {"erlang-p1-eimp", "eimp, a program",
      [{"images", fun() -> {ok, _} = application:ensure_all_started(eimp),
          {lists:sort(eimp:supported_formats()), eimp:identify(<<"no image">>),
          eimp:get_type(<<137, "PNG", 13, 10, 26, 10>>)} end}]}].

json() -> <<"{\"a\":[1,2.5,-3e2,null,true,\"text \\u00e5 \\n\"],\"b\":{\"c\":{}},\"d\":123456789012345678901234567890}">>.

%% A server that ejabberd's TLS serves, and a client of OTP's.
tls_handshake() ->
    {ok, _} = application:ensure_all_started(ssl),
    {ok, _} = application:ensure_all_started(fast_tls),
    #{server_config := Server} = public_key:pkix_test_data(#{server_chain => chain(), client_chain => chain()}),
    {Type, Key} = proplists:get_value(key, Server),
    Pem = public_key:pem_encode([{Type, Key, not_encrypted}, {'Certificate', proplists:get_value(cert, Server),
        not_encrypted}]),
    ok = file:write_file("fast_tls.pem", Pem),
    {ok, Listen} = gen_tcp:listen(0, [binary, {active, false}, {ip, {127, 0, 0, 1}}]),
    {ok, Number} = inet:port(Listen),
    Main = self(),
    spawn_link(fun() ->
        {ok, Socket} = ssl:connect({127, 0, 0, 1}, Number, [binary, {active, false}, {verify, verify_none}]),
        ok = ssl:send(Socket, <<"hello">>),
        Main ! {client, ssl:recv(Socket, 5), element(2, ssl:connection_information(Socket, [protocol]))},
        receive stop -> ok end
    end),
    {ok, Accepted} = gen_tcp:accept(Listen),
    {ok, Tls} = fast_tls:tcp_to_tls(Accepted, [{certfile, "fast_tls.pem"}]),
    Heard = heard(Tls),
    Sent = fast_tls:send(Tls, <<"world">>),
    {Heard, Sent, receive {client, Got, Protocol} -> {Got, Protocol} end,
        catch fast_tls:tcp_to_tls(Accepted, [{certfile, "none.pem"}])}.

heard(Tls) ->
    case fast_tls:recv(Tls, 0, 5000) of
        {ok, <<>>} -> heard(Tls);
        Other -> Other
    end.

chain() -> #{root => strong(), intermediates => [], peer => strong()}.

strong() -> [{key, {namedCurve, secp256r1}}, {digest, sha256}].
