%% OTP's crypto with its own native library: every algorithm that this system offers, with good and bad arguments.
%% needs: crypto
%% timeout: 60
%% releases: 25
-module(cryptography).
-export([main/0]).

-define(SIZES, [0, 1, 15, 16, 17, 64, 1000, 20_000, 200_000]).

main() ->
    see:value("library", crypto:info_lib()),
    see:value("info", maps:remove(compile_type, crypto:info())),
    Supports = crypto:supports(),
    see:value("supports", [{Kind, lists:sort(Names)} || {Kind, Names} <- Supports]),
    known_answers(),
    hashes(proplists:get_value(hashs, Supports)),
    macs(Supports),
    ciphers(proplists:get_value(ciphers, Supports)),
    public_keys(Supports),
    random(),
    wrong().

%% From the standards: FIPS 180-4 (SHA), RFC 2202 (HMAC), FIPS 197 (AES), RFC 8439 (ChaCha20, Poly1305), RFC 7748
%% (X25519), RFC 6070 (PBKDF2), RFC 4493 (CMAC), RFC 8032 (Ed25519), the specification of GCM.
known_answers() ->
    see:value("known", [
        crypto:hash(sha256, "abc") =:= hex("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        crypto:mac(hmac, sha, "Jefe",
            "what do ya want for nothing?") =:= hex("effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"),
        crypto:crypto_one_time(aes_128_ecb, hex("000102030405060708090a0b0c0d0e0f"),
            hex("00112233445566778899aabbccddeeff"), true)
            =:= hex("69c4e0d86a7b0430d8cdb78070b4c55a"),
        element(2, crypto:crypto_one_time_aead(chacha20_poly1305,
            hex("808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f"), hex("070000004041424344454647"),
            <<"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it.">>,
            hex("50515253c0c1c2c3c4c5c6c7"), true)) =:= hex("1ae10b594f09e26a7e902ecbd0600691"),
        crypto:compute_key(ecdh, hex("e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c"),
            hex("a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4"), x25519)
            =:= hex("c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552"),
        crypto:pbkdf2_hmac(sha, <<"password">>, <<"salt">>, 1, 20) =:= hex("0c60c80f961f0e71f3a9b524af6012062fe037a6"),
        crypto:mac(cmac, aes_128_cbc, hex("2b7e151628aed2a6abf7158809cf4f3c"),
            "") =:= hex("bb1d6929e95937287fa37d129b756746"),
        crypto:mac(poly1305, hex("85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b"),
            "Cryptographic Forum Research Group")
            =:= hex("a8061dc1305136c6c22b8baf0c0127a9"),
        crypto:crypto_one_time_aead(aes_128_gcm, <<0:128>>, <<0:96>>, <<0:128>>, "", true)
            =:= {hex("0388dace60b6a392f328c2b971b2fe78"), hex("ab6e47d42cec13bdf53a67b21257bddf")},
        crypto:sign(eddsa, none, "", [hex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"), ed25519])
            =:= hex("e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b")]).

hex(Text) -> binary:decode_hex(list_to_binary(Text)).

%% Bytes that are the same on each run.
bytes(Size, Seed) -> bytes(Size, Seed, <<>>).

bytes(Size, _, Done) when byte_size(Done) >= Size -> binary:part(Done, 0, Size);
bytes(Size, Seed, Done) -> bytes(Size, Seed + 1, <<Done/binary, (erlang:md5(integer_to_list(Seed)))/binary>>).

%% What a call gives, short enough to print: what is long is told by its digest.
given(Fun) ->
    try short(Fun())
    catch
        error:{Tag, _Where, Text} -> {error, Tag, Text};
        Class:Reason -> {Class, Reason}
    end.

short(Bytes) when is_binary(Bytes), byte_size(Bytes) > 32 -> {byte_size(Bytes), binary:encode_hex(erlang:md5(Bytes))};
short(Bytes) when is_binary(Bytes) -> binary:encode_hex(Bytes);
short({A, B}) -> {short(A), short(B)};
short(Other) -> Other.

hashes(Names) ->
    lists:foreach(fun(Name) ->
        see:value(Name, {catch crypto:hash_info(Name), [given(fun() -> crypto:hash(Name, bytes(Size, 1)) end)
            || Size <- ?SIZES]}),
        see:value("in parts", given(fun() ->
            crypto:hash_final(lists:foldl(fun(Size, State) -> crypto:hash_update(State, bytes(Size, Size)) end,
                crypto:hash_init(Name), ?SIZES))
        end))
    end, lists:sort(Names)),
    see:value("longer", given(fun() -> crypto:hash_xof(shake256, <<"abc">>, 1000) end)),
    see:value("of a list", given(fun() -> crypto:hash(sha, [bytes(10, 1), [1, 2 | <<3>>], "text"]) end)).

macs(Supports) ->
    Key = bytes(16, 2),
    Hashes = lists:sort(proplists:get_value(hashs, Supports)),
    [see:value(Hash, [given(fun() -> crypto:mac(hmac, Hash, bytes(Key0, 3), bytes(Size, 4)) end) || Key0 <- [1, 200],
        Size <- ?SIZES])
     || Hash <- Hashes],
    Ciphers = [aes_128_cbc, aes_256_cbc, des_ede3_cbc, blowfish_cbc],
    [see:value(Cipher, given(fun() -> crypto:mac(cmac, Cipher, bytes(KeySize, 5), bytes(100, 6)) end))
        || {Cipher, KeySize} <- lists:zip(Ciphers, [16, 32, 24, 16])],
    see:value("poly1305", given(fun() -> crypto:mac(poly1305, bytes(32, 7), bytes(1000, 8)) end)),
    see:value("cut", given(fun() -> crypto:macN(hmac, sha256, Key, "data", 10) end)),
    see:value("parts", given(fun() ->
        crypto:mac_final(crypto:mac_update(crypto:mac_update(crypto:mac_init(hmac, sha256, Key), "da"),
            bytes(20_000, 9)))
    end)).

ciphers(Names) ->
    lists:foreach(fun(Name) ->
        Info = (catch crypto:cipher_info(Name)),
        see:value(Name, Info),
        case Info of
            #{key_length := KeySize, iv_length := IvSize, block_size := Block} -> cipher(Name, bytes(KeySize, 10),
                bytes(IvSize, 11), Block);
            _ -> none
        end
    end, lists:sort(Names)).

cipher(Name, Key, Iv, Block) ->
    case crypto:cipher_info(Name) of
        #{mode := Mode} when Mode =:= gcm_mode; Mode =:= ccm_mode -> aead(Name, Key, Iv);
        _ when Name =:= chacha20_poly1305 -> aead(Name, Key, Iv);
        _ -> plain(Name, Key, Iv, Block)
    end.

plain(Name, Key, Iv, Block) ->
    Sizes = [Block * N || N <- [1, 2, 7, 1000, 5000]],
    see:value("there", [given(fun() -> crypto:crypto_one_time(Name, Key, Iv, bytes(Size, 12), true) end)
        || Size <- Sizes]),
    see:value("and back", [given(fun() ->
        crypto:crypto_one_time(Name, Key, Iv, crypto:crypto_one_time(Name, Key, Iv, bytes(Size, 12), true),
            false) =:= bytes(Size, 12)
    end) || Size <- Sizes]),
    see:value("padded", [given(fun() -> crypto:crypto_one_time(Name, Key, Iv, bytes(Size, 13),
        [{encrypt, true}, {padding, Padding}]) end)
                         || Size <- [1, 16, 31], Padding <- [pkcs_padding, zero, none]]),
    see:value("in parts", given(fun() ->
        State = crypto:crypto_init(Name, Key, Iv, true),
        list_to_binary([crypto:crypto_update(State, bytes(Size, Size)) || Size <- Sizes])
    end)),
    see:value("wrong key", given(fun() -> crypto:crypto_one_time(Name, <<Key/binary, 0>>, Iv, <<"x">>, true) end)),
    see:value("wrong vector", given(fun() -> crypto:crypto_one_time(Name, Key, <<Iv/binary, 0>>, <<"x">>, true) end)).

aead(Name, Key, Iv) ->
    lists:foreach(fun(Size) ->
        Sealed = given(fun() -> crypto:crypto_one_time_aead(Name, Key, Iv, bytes(Size, 14), <<"added">>, true) end),
        see:value(Size, Sealed),
        see:value("opened", given(fun() ->
            {Hidden, Tag} = crypto:crypto_one_time_aead(Name, Key, Iv, bytes(Size, 14), <<"added">>, true),
            {crypto:crypto_one_time_aead(Name, Key, Iv, Hidden, <<"added">>, Tag, false) =:= bytes(Size, 14),
             crypto:crypto_one_time_aead(Name, Key, Iv, Hidden, <<"other">>, Tag, false)}
        end))
    end, [0, 1, 16, 1000, 50_000]).

%% Keys are made anew on each run, so that only what follows from them is told.
public_keys(Supports) ->
    Message = bytes(1000, 15),
    {Public, Private} = crypto:generate_key(rsa, {2048, 65537}),
    see:value("rsa", [{Hash,
        given(fun() -> crypto:verify(rsa, Hash, Message, crypto:sign(rsa, Hash, Message, Private, Options), Public,
        Options) end)}
                      || Hash <- [sha, sha256, sha512], Options <- [[], [{rsa_padding, rsa_pkcs1_pss_padding}]]]),
    see:value("rsa refuses", crypto:verify(rsa, sha256, <<"other">>, crypto:sign(rsa, sha256, Message, Private),
        Public)),
    see:value("rsa encrypts", [given(fun() ->
        crypto:private_decrypt(rsa, crypto:public_encrypt(rsa, <<"secret">>, Public, Padding), Private, Padding)
    end) || Padding <- [rsa_pkcs1_padding, rsa_pkcs1_oaep_padding]]),
    Curves = lists:sort(proplists:get_value(curves, Supports)),
    see:value("curves", length(Curves)),
    [see:value(Curve, given(fun() -> agreed(ecdh, Curve) end)) || Curve <- Curves],
    [see:value({ecdsa, Curve}, given(fun() ->
         {Point, Secret} = crypto:generate_key(ecdh, Curve),
         Signature = crypto:sign(ecdsa, sha256, Message, [Secret, Curve]),
         {crypto:verify(ecdsa, sha256, Message, Signature, [Point, Curve]),
             crypto:verify(ecdsa, sha256, <<>>, Signature, [Point, Curve])}
     end)) || Curve <- [secp256r1, secp384r1, secp521r1, secp256k1, brainpoolP256r1], lists:member(Curve, Curves)],
    [see:value({eddsa, Curve}, given(fun() ->
         {Point, Secret} = crypto:generate_key(eddsa, Curve),
         crypto:verify(eddsa, none, Message, crypto:sign(eddsa, none, Message, [Secret, Curve]), [Point, Curve])
     end)) || Curve <- [ed25519, ed448]],
    see:value("ed25519", given(fun() -> crypto:sign(eddsa, none, Message, [bytes(32, 16), ed25519]) end)),
    see:value("public from private", given(fun() -> crypto:generate_key(ecdh, secp256r1, bytes(32, 17)) end)),
    see:value("dh", given(fun() -> agreed(dh, [16#fffffffffffffffffffffffffffffffeffffffffffffffff, 5]) end)),
    see:value("srp", given(fun() -> element(1, crypto:generate_key(srp, {user, [2, bytes(128, 18), '6a']},
        bytes(32, 19))) end)),
    see:value("exponent", given(fun() -> crypto:mod_pow(3, 1 bsl 200 + 5, 1 bsl 127 - 1) end)),
    see:value("xor", crypto:exor(bytes(20_000, 20), bytes(20_000, 20)) =:= <<0:160_000>>),
    see:value("equal", [crypto:hash_equals(<<"same">>, <<"same">>), crypto:hash_equals(<<"same">>, <<"Same">>)]),
    see:value("pbkdf2", given(fun() -> crypto:pbkdf2_hmac(sha256, <<"password">>, <<"salt">>, 1000, 32) end)).

agreed(Kind, Parameters) ->
    {PublicA, PrivateA} = crypto:generate_key(Kind, Parameters),
    {PublicB, PrivateB} = crypto:generate_key(Kind, Parameters),
    crypto:compute_key(Kind, PublicB, PrivateA, Parameters) =:= crypto:compute_key(Kind, PublicA, PrivateB, Parameters).

random() ->
    see:value("random", [byte_size(crypto:strong_rand_bytes(Size)) || Size <- [0, 1, 1000, 100_000]]),
    see:value("different", crypto:strong_rand_bytes(20) =/= crypto:strong_rand_bytes(20)),
    see:value("uniform", lists:all(fun(_) -> lists:member(crypto:rand_uniform(5, 8), [5, 6, 7]) end,
        lists:seq(1, 1000))),
    _ = crypto:rand_seed_alg(crypto_aes, "seed"),
    see:value("seeded", [rand:uniform(1000) || _ <- lists:seq(1, 5)]),
    Self = self(),
    Pids = [spawn_link(fun() -> Self ! {self(), [crypto:hash(sha256, bytes(Size, 1)) || _ <- [1, 2, 3],
        Size <- ?SIZES]} end) || _ <- lists:seq(1, 20)],
    see:value("twenty processes", length(lists:usort([receive {Pid, Hashes} -> Hashes end || Pid <- Pids]))).

wrong() ->
    see:value("wrong", [given(Fun) || Fun <- [
        fun() -> crypto:hash(no_such_hash, <<>>) end,
        fun() -> crypto:hash(sha, not_bytes) end,
        fun() -> crypto:hash(sha, [256]) end,
        fun() -> crypto:hash_update(make_ref(), <<>>) end,
        fun() -> crypto:crypto_one_time(no_such_cipher, <<>>, <<>>, true) end,
        fun() -> crypto:crypto_one_time(aes_128_cbc, <<1:128>>, <<1:128>>, <<"x">>, 'maybe') end,
        fun() -> crypto:sign(rsa, sha, <<>>, [1, 2]) end,
        fun() -> crypto:strong_rand_bytes(-1) end,
        fun() -> crypto:generate_key(ecdh, no_such_curve) end,
        fun() -> crypto:mac(hmac, sha, <<>>, 7) end]]).
