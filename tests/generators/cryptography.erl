%% Random calls of `crypto`, by seed: every kind of function, with every algorithm that the library offers, and with
%% arguments that are wrong. What comes of each is printed on a line, so two machines with the same library must print
%% the same. Where the result is random (a key, a signature with a nonce) it is used, and what comes of that is printed.
-module(cryptography).
-export([start/0]).

-define(MOST_SHOWN, 48).
%% Keys of 1024 bits, for tests alone.
-define(RSA,
        [65537,
         16#bc2af4006bfa3cf06551f643fb8f47febbc3b9c5c7dd5fe86a189a547792f623ce5d426eb5e1949f78cd408fa4cf3c38cbbd3eeefa0d4bb278f749ed204c688bae6a8149c3ca494b060dd11c71973158f795d5bdcbcebfe4bca19352d3b1e0a56f87a77f4b27f4b4ccf13c9335911081526d5ab12e78e61231d72db80e2bcf49,
         16#612b4133928ef7b7206b51e3cb5d334d7d42d68526efcf9e2263b0169c64fccc82bdb017a1beead3eb3afaf2f2a5bdb08aada0792211899c91510a10f4d3e04c14e1f7091a8fe15aff42726748db38182a5fcf21f01eefc63c708fc34a9397116d0dd60487f50f04cc353b06a4a0337b75889c78e745ef62e648f4e63bab9531,
         16#f9ce9191c08e90a4365c66ccddb749ce80a063b5961efa09cab749133c0af58f304b22a496f7d4afa4755dcaf1256059220be96e99a88fe9b1b3e549f4f8424d,
         16#c0d52f17a2f26887f1b2ee41f7a8dbef2c3b18142ea149b72ddd37a238a51156f3936cd5b24add7e2bb6b054a431a756ebdeaf67a224b638120848ce8dfb26ed,
         16#58a02bcf0d04c7562b1f1f2da19f8c64e207853880391f3668201ca1e154760845f6f22478971672f622d992cd791834a73a98a7af8639008d1628cbd3485ca5,
         16#a6d40940fec58ff00508939ed8dfeb1f39fa0a33f3bfb061dd392517a0c016874e85fe43c75383dad380e37ee6eada6695fbfb6ec255d69c1de5b2ef98e06f65,
         16#c7b295c2a082774fcec98e52c1f9316b70aa900fb59408da43cab15cf09249d03bd9b50cb239b91269d2d1a37310d6ae06d75cff6b69ca5d90a50ab4b24c9c4]).
-define(DSS,
        [16#90e41849f1f60d1abda7601eaf2c8d7f51b0150a92916b20c08ec3840250e42fbbf631025a34054ef1c64a8f30338e467173b91e0c29231948d736cd030ebdcd77b857192b91a29bb591274af7c3b3cce6ec804196c9660977d38cf6c96d5fc4c966f3e793d19b39e83f72485583393c23bae3ca23a0f5c63424a4c8ab2ca1d9,
         16#b86dadd14b8b1808183ad04c7c7daf1912bd6cb25a5f0bd4383dbb25,
         16#76453bde3c7390670cf0a750adca92c60d9b37b7079b70ab0022cfed69369a724bb46cc3fe840345594266d361c6bc264e9a0f17674f5295f715b2b1edf517dd29f2958657998514a74372a24912df74d26ae3041481c74658a331334fcf3dbd4174249f9802b61d0a1c1c495733222d292abca1c90eb0aacbcf6e194b229107]).

%% `start First Count`: makes the calls of these numbers.
start() ->
    [First, Count] = [list_to_integer(Word) || Word <- init:get_plain_arguments()],
    logger:set_primary_config(level, none),
    Supported = [{What, lists:sort(Names)} || {What, Names} <- crypto:supports()],
    [call(Number, Supported) || Number <- lists:seq(First, First + Count - 1)],
    halt().

call(Number, Supported) ->
    rand:seed(exsss, {Number, 0, 0}),
    {Kind, Make} = one_of(kinds()),
    put(supported, Supported),
    io:format("~b: ~w ~0tp~n", [Number, Kind, shown(outcome(fun() -> Make() end))]).

kinds() ->
    [{hash, fun hash/0}, {hash_parts, fun hash_parts/0}, {mac, fun mac/0}, {mac_parts, fun mac_parts/0},
        {cipher, fun cipher/0},
     {cipher, fun cipher/0}, {cipher_parts, fun cipher_parts/0}, {moving_iv, fun moving_iv/0}, {aead, fun aead/0},
     {key, fun key/0}, {agreed, fun agreed/0}, {signature, fun signature/0}, {encryption, fun encryption/0},
     {pbkdf2, fun pbkdf2/0}, {numbers, fun numbers/0}, {seeds, fun seeds/0}, {info, fun info/0},
     {anything, fun anything/0}].

%%% The kinds. Each returns what is shown; `asked` calls a function, now and then with an argument that is wrong.

hash() -> asked(hash, [hash_name(), data()]).

hash_parts() ->
    State = asked(hash_init, [hash_name()]),
    Fed = lists:foldl(fun(Part, S) -> asked(hash_update, [S, Part]) end, State, parts()),
    {asked(hash_final, [Fed]), asked(hash_final, [State])}.

mac() ->
    {Type, Sub, Key} = mac_kind(),
    case one_of([mac, macN, short]) of
        mac -> asked(mac, [Type, Sub, Key, data()]);
        macN -> asked(macN, [Type, Sub, Key, data(), length_upto(40)]);
        short when Sub =:= undefined -> asked(mac, [Type, Key, data()]);
        short -> asked(macN, [Type, Key, data(), length_upto(40)])
    end.

mac_parts() ->
    {Type, Sub, Key} = mac_kind(),
    State = case Sub of
                undefined -> asked(mac_init, [Type, Key]);
                _ -> asked(mac_init, [Type, Sub, Key])
            end,
    Fed = lists:foldl(fun(Part, S) -> asked(mac_update, [S, Part]) end, State, parts()),
    case rand:uniform(2) of
        1 -> asked(mac_final, [Fed]);
        2 -> asked(mac_finalN, [Fed, length_upto(40)])
    end.

mac_kind() ->
    case one_of([hmac, hmac, cmac, poly1305]) of
        hmac -> {hmac, hash_name(), data()};
        cmac ->
            Cipher = cipher_name(),
            {cmac, Cipher, bytes(element(1, sizes(Cipher)))};
        poly1305 -> {poly1305, undefined, bytes(one_of([32, 32, 31]))}
    end.

cipher() ->
    {Cipher, Key, Iv} = keyed(),
    Options = cipher_options(),
    case Iv of
        <<>> -> asked(crypto_one_time, [Cipher, Key, data(), Options]);
        _ -> asked(crypto_one_time, [Cipher, Key, Iv, data(), Options])
    end.

cipher_parts() ->
    {Cipher, Key, Iv} = keyed(),
    Options = cipher_options(),
    State = case Iv of
                <<>> -> asked(crypto_init, [Cipher, Key, Options]);
                _ -> asked(crypto_init, [Cipher, Key, Iv, Options])
            end,
    Parts = [asked(crypto_update, [State, Part]) || Part <- parts()],
    {Parts, asked(crypto_final, [State]), asked(crypto_get_data, [State]),
        outcome(fun() -> crypto:crypto_update(State, <<"late">>) end)}.

moving_iv() ->
    {Cipher, Key, Iv} = keyed(),
    State = asked(crypto_dyn_iv_init, [Cipher, Key, rand:uniform(2) =:= 1]),
    [asked(crypto_dyn_iv_update, [State, Part, Iv]) || Part <- parts()].

aead() ->
    Cipher = one_of([aes_128_gcm, aes_192_gcm, aes_256_gcm, aes_128_ccm, aes_192_ccm, aes_256_ccm, aes_gcm, aes_ccm,
        chacha20_poly1305, cipher_name()]),
    {KeySize, IvSize} = sizes(Cipher),
    %% That chacha20_poly1305 gets a key of its size, crypto does not look, and reads on behind it.
    Key = bytes(one_of([KeySize, KeySize, KeySize | [Size || Size <- [16, 5], Cipher =/= chacha20_poly1305]])),
    %% With a nonce of another size, CCM of OpenSSL 3 reads what it has not written.
    Iv = bytes(one_of(case lists:suffix("ccm", atom_to_list(Cipher)) of true -> [7, 12, 13];
        false -> [IvSize, IvSize, 12, 7, 13, 1] end)),
    Text = data(),
    More = data(),
    case rand:uniform(3) of
        1 -> asked(crypto_one_time_aead, [Cipher, Key, Iv, Text, More, rand:uniform(2) =:= 1]);
        _ ->
            TagSize = one_of([16, 16, 12, 8, 4, 17, 0]),
            case asked(crypto_one_time_aead, [Cipher, Key, Iv, Text, More, TagSize, true]) of
                {Secret, Tag} when is_binary(Secret) ->
                    {Secret, Tag, asked(crypto_one_time_aead, [Cipher, Key, Iv, Secret, More, Tag, false]),
                     outcome(fun() -> crypto:crypto_one_time_aead(Cipher, Key, Iv, Secret, [More, 1], Tag, false) end)};
                Other -> Other
            end
    end.

key() ->
    case one_of([dh, ecdh, eddh, eddsa, srp, random]) of
        %% OpenSSL 3 takes a private key of its own for large groups.
        dh -> with_sizes(asked(generate_key, [dh, dh_parameters(), 1 + rand:uniform(1 bsl 60)]));
        srp -> asked(generate_key, [srp, {user, [bytes(8), <<2>>, bytes(64), one_of(['3', '6', '6a'])]}, bytes(32)]);
        random -> with_sizes(asked(generate_key, [ecdh, curve()]));
        Type -> asked(generate_key, [Type, curve(), bytes(one_of([32, 32, 20, 66, 57, 56]))])
    end.

agreed() ->
    case one_of([dh, ecdh, eddh, other]) of
        dh ->
            Parameters = dh_parameters(),
            {OnePublic, OnePrivate} = both(generate_key, [dh, Parameters, 1 + rand:uniform(1 bsl 60)]),
            {OtherPublic, OtherPrivate} = both(generate_key, [dh, Parameters]),
            case {asked(compute_key, [dh, OnePublic, OtherPrivate, Parameters]),
                asked(compute_key, [dh, OtherPublic, OnePrivate, Parameters])} of
                {One, Other} when is_binary(One), is_binary(Other) -> One =:= Other;
                {One, Other} -> {kind(One), kind(Other)}
            end;
        Type ->
            Curve = curve(),
            Size = one_of([32, 32, 20, 28, 48, 66, 56]),
            {_, Own} = both(generate_key, [ecdh, Curve, bytes(Size)]),
            {Their, _} = both(generate_key, [ecdh, Curve, bytes(Size)]),
            asked(compute_key, [case Type of other -> ecdh; _ -> Type end, Their, Own, Curve])
    end.

kind(B) when is_binary(B) -> bytes;
kind(Failed) -> Failed.

with_sizes({Public, Private}) -> {byte_size(Public) > 0, byte_size(Private) > 0};
with_sizes(Failed) -> Failed.

both(Function, Arguments) ->
    case asked(Function, Arguments) of
        {A, B} -> {A, B};
        Other -> {Other, Other}
    end.

signature() ->
    Hash = hash_name(),
    Message = one_of([data(), {digest, bytes(one_of([20, 32, 64]))}]),
    case one_of([rsa, pss, dss, ecdsa, eddsa]) of
        rsa ->
            Signature = asked(sign,
                [rsa, Hash, Message, rsa_private(),
                one_of([[], [{rsa_padding, rsa_pkcs1_padding}], [{rsa_padding, rsa_x931_padding}]])]),
            {Signature, asked(verify, [rsa, Hash, Message, one_of([Signature, bytes(128)]), rsa_public()])};
        pss ->
            Options = [{rsa_padding, rsa_pkcs1_pss_padding} | some([{rsa_pss_saltlen, one_of([-2, -1, 0, 20, 500])},
                {rsa_mgf1_md, hash_name()}])],
            Signature = asked(sign, [rsa, Hash, Message, rsa_private(), Options]),
            {size_of(Signature), asked(verify, [rsa, Hash, Message, Signature, rsa_public(), Options])};
        dss ->
            [P, Q, G] = ?DSS,
            X = rand:uniform(1 bsl 150),
            Y = crypto:bytes_to_integer(crypto:mod_pow(G, X, P)),
            Signature = asked(sign, [dss, Hash, Message, [P, Q, G, X]]),
            asked(verify, [dss, Hash, Message, Signature, [P, Q, G, Y]]);
        ecdsa ->
            Curve = curve(),
            {Public, Private} = both(generate_key, [ecdh, Curve, bytes(one_of([32, 20]))]),
            Signature = asked(sign, [ecdsa, Hash, Message, [Private, Curve]]),
            asked(verify, [ecdsa, Hash, Message, Signature, [Public, Curve]]);
        eddsa ->
            {Curve, Size} = one_of([{ed25519, 32}, {ed448, 57}, {ed25519, 31}, {x25519, 32}]),
            {Public, Private} = both(generate_key, [eddsa, Curve, bytes(Size)]),
            Signature = asked(sign, [eddsa, one_of([none, none, sha256]), data(), [Private, Curve]]),
            {Signature, asked(verify, [eddsa, none, Message, Signature, [Public, Curve]])}
    end.

size_of(B) when is_binary(B) -> byte_size(B);
size_of(Other) -> Other.

encryption() ->
    Text = bytes(length_upto(130)),
    case rand:uniform(3) of
        1 ->
            Padding = one_of([rsa_pkcs1_padding, rsa_no_padding, rsa_pkcs1_oaep_padding]),
            Secret = asked(public_encrypt, [rsa, Text, rsa_public(), Padding]),
            {size_of(Secret), Padding =:= rsa_pkcs1_padding orelse asked(private_decrypt,
                [rsa, Secret, rsa_private(), Padding])};
        2 ->
            Options = [{rsa_padding, rsa_pkcs1_oaep_padding} | some([{rsa_oaep_md, hash_name()},
                {rsa_mgf1_md, hash_name()}, {rsa_oaep_label, bytes(5)}])],
            Secret = asked(public_encrypt, [rsa, Text, rsa_public(), Options]),
            {size_of(Secret), asked(private_decrypt, [rsa, Secret, rsa_private(), Options])};
        3 ->
            Padding = one_of([rsa_pkcs1_padding, rsa_no_padding, rsa_x931_padding]),
            Secret = asked(private_encrypt, [rsa, Text, rsa_private(), Padding]),
            {Secret, asked(public_decrypt, [rsa, Secret, rsa_public(), Padding])}
    end.

pbkdf2() -> asked(pbkdf2_hmac, [hash_name(), bytes(length_upto(70)), bytes(length_upto(70)), one_of([1, 2, 1000, 0]),
    one_of([1, 16, 20, 64, 100, 0])]).

numbers() ->
    case rand:uniform(5) of
        1 -> Data = bytes(length_upto(80)), asked(exor, [Data, one_of([bytes(byte_size(Data)), data()])]);
        2 -> asked(mod_pow, [number(), number(), number()]);
        3 -> asked(bytes_to_integer, [bytes(length_upto(40))]);
        4 -> Data = bytes(length_upto(40)), asked(hash_equals, [Data, one_of([Data, bytes(byte_size(Data)), data()])]);
        5 -> size_of(asked(strong_rand_bytes, [length_upto(100)]))
    end.

seeds() ->
    State = asked(rand_seed_alg_s, [one_of([crypto_aes, crypto_aes, crypto]), bytes(20)]),
    {Values, _} = lists:mapfoldl(fun(_, S) -> rand:uniform_s(1000000, S) end, State, lists:seq(1, 5)),
    case State of
        {#{type := crypto_aes}, _} -> {Values, element(1, rand:uniform_s(rand:jump(State)))};
        _ -> length(Values)
    end.

info() ->
    case rand:uniform(6) of
        1 -> asked(hash_info, [hash_name()]);
        2 -> asked(cipher_info, [cipher_name()]);
        3 -> asked(ec_curve, [curve()]);
        4 -> asked(supports, [one_of([hashs, ciphers, public_keys, macs, curves, rsa_opts])]);
        5 -> asked(one_of([info_lib, info_fips, engine_list, engine_get_all_methods, ec_curves, version, info]), []);
        6 -> asked(one_of([enable_fips_mode, engine_by_id, get_test_engine]), [])
    end.

%% A function with arguments of any kind.
anything() ->
    {Function, Arity} = one_of([{F, A} || {F, A} <- lists:sort(crypto:module_info(exports)), is_fit(F)]),
    Arguments = [one_of([wrong(), data(), hash_name(), cipher_name(), curve(), true]) || _ <- lists:seq(1, Arity)],
    call_it(Function, Arguments).

%% Changes the node, has a random result, or is no function of crypto's own.
is_fit(Name) ->
    not lists:member(Name, [start, stop, module_info, rand_seed, rand_seed_s, rand_seed_alg, rand_uniform, engine_load,
        engine_unload, engine_add, engine_remove,
                            engine_register, engine_unregister, ensure_engine_loaded, ensure_engine_unloaded,
                            engine_ctrl_cmd_string,
                            strong_rand_bytes, enable_fips_mode, rand_plugin_next, rand_plugin_uniform,
                            rand_cache_plugin_next,
                            rand_plugin_aes_next, rand_plugin_aes_jump, rand_plugin_aes_jump_2pow20, pbkdf2_hmac,
                            generate_key]).

%%% Arguments.

hash_name() -> one_of([sha, sha256, sha512 | names(hashs)]).
cipher_name() -> one_of(names(ciphers)).
curve() -> one_of([secp256r1, secp384r1, x25519, x448, ed25519 | names(curves)]).

names(What) -> proplists:get_value(What, get(supported), []).

keyed() ->
    Cipher = cipher_name(),
    {KeySize, IvSize} = sizes(Cipher),
    {Cipher, bytes(one_of([KeySize, KeySize, KeySize, KeySize, 16, 7])),
        bytes(one_of([IvSize, IvSize, IvSize, IvSize, IvSize, 16, 3]))}.

sizes(Cipher) ->
    try crypto:cipher_info(Cipher) of
        #{key_length := Key, iv_length := Iv} -> {Key, Iv}
    catch
        error:_ -> {16, 16}
    end.

cipher_options() ->
    case rand:uniform(3) of
        1 -> true;
        2 -> false;
        3 -> [{encrypt, rand:uniform(2) =:= 1} | some([{padding, one_of([undefined, none, pkcs_padding, zero])}])]
    end.

dh_parameters() -> one_of([[23, 5], [(1 bsl 127) - 1, 3], [(1 bsl 521) - 1, 3], element(3, public_key_group())]).

%% The group of RFC 2409, 6.2.
public_key_group() ->
    {group, 1024,
     [16#FFFFFFFFFFFFFFFFC90FDAA22168C234C4C6628B80DC1CD129024E088A67CC74020BBEA63B139B22514A08798E3404DDEF9519B3CD3A431B302B0A6DF25F14374FE1356D6D51C245E485B576625E7EC6F44C42E9A637ED6B0BFF5CB6F406B7EDEE386BFB5A899FA5AE9F24117C4B1FE649286651ECE65381FFFFFFFFFFFFFFFF,
      2]}.

rsa_public() -> lists:sublist(?RSA, 2).
rsa_private() ->
    case rand:uniform(2) of
        1 -> lists:sublist(?RSA, 3);
        2 -> ?RSA
    end.

number() -> one_of([0, 1, 2, rand:uniform(1 bsl 60), rand:uniform(1 bsl 300), bytes(20), (1 bsl 127) - 1]).

some(List) -> [Element || Element <- List, rand:uniform(2) =:= 1].

length_upto(Most) -> one_of([0, 1, 7, 8, 15, 16, 17, 31, 32, 33, rand:uniform(Most)]).

parts() -> [data() || _ <- lists:seq(1, rand:uniform(4))].

%% Bytes in every form: whole, part of another binary, lists, nested ones.
data() ->
    Bytes = bytes(one_of([0, 1, 8, 15, 16, 32, 64, 65, 100, 1000, 20000, rand:uniform(200)])),
    case rand:uniform(6) of
        1 -> binary_to_list(Bytes);
        2 -> [Bytes, [Bytes | Bytes], 65];
        3 -> <<_:3, Part:(byte_size(Bytes))/binary, _/bitstring>> = <<5:3, Bytes/binary, 3:5>>, Part;
        _ -> Bytes
    end.

bytes(Size) -> << <<(rand:uniform(256) - 1)>> || _ <- lists:seq(1, Size) >>.

wrong() -> one_of([atom, sha1, aes_256_cbd, -1, 0, 1 bsl 70, 1.5, <<>>, <<1:3>>, [], [a], [-1], [256], "Ω", #{}, {},
    {digest, <<1>>}, make_ref(), self()]).

one_of(List) -> lists:nth(rand:uniform(length(List)), List).

%%% Calls.

asked(Function, Arguments) ->
    case Arguments =/= [] andalso rand:uniform(12) =:= 1 of
        true ->
            At = rand:uniform(length(Arguments)),
            {Before, [_ | After]} = lists:split(At - 1, Arguments),
            call_it(Function, Before ++ [wrong() | After]);
        false -> call_it(Function, Arguments)
    end.

call_it(Function, Arguments) -> outcome(fun() -> apply(crypto, Function, Arguments) end).

outcome(Fun) ->
    try Fun()
    catch
        Class:Reason:Stack ->
            [{Module, Function, Arguments, _} | _] = Stack,
            Arity = if is_list(Arguments) -> length(Arguments); true -> Arguments end,
            {Class, Reason, {Module, Function, Arity}}
    end.

%% A result on one line: what is long by its size and a sum.
shown(B) when is_binary(B), byte_size(B) > ?MOST_SHOWN -> {bytes, byte_size(B), erlang:md5(B)};
shown(N) when is_integer(N), N >= 1 bsl 200 -> {number, erlang:md5(binary:encode_unsigned(N))};
shown(L) when is_list(L), length(L) > ?MOST_SHOWN -> {list, length(L), erlang:phash2([shown(E) || E <- L])};
shown(L) when is_list(L) -> [shown(E) || E <- L];
shown(T) when is_tuple(T) -> list_to_tuple([shown(E) || E <- tuple_to_list(T)]);
shown(M) when is_map(M) -> [{K, shown(V)} || {K, V} <- lists:sort(maps:to_list(M))];
shown(R) when is_reference(R) -> a_reference;
shown(P) when is_pid(P) -> a_pid;
shown(F) when is_function(F) -> a_fun;
shown(Other) -> Other.
