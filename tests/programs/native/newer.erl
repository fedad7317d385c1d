%% Functions of the C interface of NIFs that came after OTP 25, and the encoding UTF-8 of older ones.
%% differs: stock of OTP 25 does not have these functions; what is expected is what the documentation of OTP 29 says.
%% needs: erl_nif.h
-module(newer).
-export([main/0, init/0]).
-export([new_atoms/2, atom_text/3, string/3, make_string/2, size_of_term/1, cache_index/1, set_too_late/0, lacks/0,
    wait_for_end/1]).
-on_load(init/0).

init() -> erlang:load_nif(filename:rootname(code:which(?MODULE)), 0).

main() ->
    % The encoding of the output is the release's.
    io:setopts([{encoding, latin1}]),
    case lacks() of
        1 -> see:value("lacks them", true);
        0 -> functions()
    end.

functions() ->
    Long = binary:copy(<<"n">>, 255),
    [see:value("new atoms", {Encoding, shown(new_atoms(Text, Encoding))})
     || Text <- [<<"an_atom_of_newer">>, <<"åtom"/utf8>>, <<"Ωmega of newer"/utf8>>, <<255>>, Long,
         <<Long/binary, "n">>,
                 binary:copy(<<"Ω"/utf8>>, 255), binary:copy(<<"Ω"/utf8>>, 256)],
        Encoding <- [utf8, latin1]],
    [see:value("atom text", {Encoding, Size, atom_text(Atom, Encoding, Size)})
     || Atom <- [abc, 'åtom', 'Ω', 7], Encoding <- [utf8, latin1], Size <- [0, 3, 4, 6]],
    [see:value("string", {Encoding, Size, string(List, Encoding, Size)})
     || List <- ["", "abc", "aåΩ", "ab" ++ [16#1F600], [a], [16#D800], [$a | $b], <<"abc">>],
     Encoding <- [utf8, latin1], Size <- [1, 4, 5, 100]],
    [see:that("make string", fun() -> make_string(Text, Encoding) end)
     || Text <- [<<>>, <<"abc">>, <<"aåΩ"/utf8>>, <<255>>], Encoding <- [utf8, latin1]],
    [see:value("size", {size_of_term(Term), erts_debug:flat_size(Term) * erlang:system_info(wordsize)})
     || Term <- [a, 1, [], [1, 2], {a, "b"}, 1 bsl 100, 1.5, #{a => 1}]],
    see:value("cache", [cache_index(Term) || Term <- [a, 'some other atom', 7]]),
    see:value("too late", set_too_late()),
    Self = self(),
    spawn(fun() -> wait_for_end(Self) end),
    receive waits -> see:value("waits", true) end.

shown(Atoms) ->
    list_to_tuple([case length(atom_to_list(Atom)) of Length when Length > 50 -> {Length}; _ -> Atom end
        || Atom <- tuple_to_list(Atoms)]).

new_atoms(_, _) -> erlang:nif_error(not_loaded).
atom_text(_, _, _) -> erlang:nif_error(not_loaded).
string(_, _, _) -> erlang:nif_error(not_loaded).
make_string(_, _) -> erlang:nif_error(not_loaded).
size_of_term(_) -> erlang:nif_error(not_loaded).
cache_index(_) -> erlang:nif_error(not_loaded).
set_too_late() -> erlang:nif_error(not_loaded).
lacks() -> erlang:nif_error(not_loaded).
wait_for_end(_) -> erlang:nif_error(not_loaded).
