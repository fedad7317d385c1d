%% Modules with random damage are prepared for loading: each is refused or accepted, and the node lives.
%% differs: stock's loader trusts its input and crashes on some of these
-module(damaged_modules).
-export([main/0]).

main() ->
    rand:seed(exsss, {1, 2, 3}),
    [prepare(M) || M <- [base64, gb_trees, sofs, zip, erl_lint, ?MODULE]],
    see:value(alive, lists:sum(lists:seq(1, 10))).

prepare(Module) ->
    {ok, Whole} = file:read_file(code:which(Module)),
    Results = [attempt(Module, damaged(Whole, rand:uniform(4))) || _ <- lists:seq(1, 400)],
    Short = [attempt(Module, binary:part(Whole, 0, N * byte_size(Whole) div 100)) || N <- lists:seq(0, 99)],
    see:value(Module, {lists:usort(Results), lists:usort(Short), attempt(Module, Whole)}).

attempt(Module, Binary) ->
    case erlang:prepare_loading(Module, Binary) of
        {error, Why} -> Why;
        Prepared when is_reference(Prepared) -> prepared
    end.

damaged(Binary, 0) -> Binary;
damaged(Binary, N) ->
    At = rand:uniform(byte_size(Binary)) - 1,
    <<Before:At/binary, _, After/binary>> = Binary,
    Byte = case rand:uniform(4) of 1 -> 255; _ -> rand:uniform(256) - 1 end,
    damaged(<<Before/binary, Byte, After/binary>>, N - 1).
