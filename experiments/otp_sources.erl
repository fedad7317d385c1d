%% Writes the sources of some modules of OTP into the current folder, from the debugging information of what is
%% installed, so that a compiler has ordinary programs to work on where the sources are not installed.
%%
%%   erl -noshell -s otp_sources write 20 -s erlang halt
%%   erl -noshell -s otp_sources list 20 -s erlang halt     prints the names of the compiled files instead
-module(otp_sources).
-export([write/1, list/1]).

-define(APPLICATIONS, [stdlib, kernel, compiler]).

-define(LEAST_FORMS, 40).

write([Count]) ->
    [ok = file:write_file(filename:basename(File, ".beam") ++ ".erl", text(Forms)) || {File, Forms} <- modules(Count)].

list([Count]) ->
    [io:format("~ts~n", [File]) || {File, _} <- modules(Count)].

%% The first modules by name, without those that are hardly more than a list of exports.
modules(Count) ->
    Files = lists:append([filelib:wildcard(filename:join([code:lib_dir(A), "ebin", "*.beam"])) || A <- ?APPLICATIONS]),
    ByName = lists:sort(fun(A, B) -> filename:basename(A) =< filename:basename(B) end, Files),
    first(list_to_integer(atom_to_list(Count)), ByName).

first(0, _) -> [];
first(N, [File | Files]) ->
    {ok, {_, [{abstract_code, Code}]}} = beam_lib:chunks(File, [abstract_code]),
    case Code of
        {raw_abstract_v1, Forms} when length(Forms) > ?LEAST_FORMS -> [{File, Forms} | first(N - 1, Files)];
        _ -> first(N, Files)
    end.

text(Forms) ->
    Kept = [Form || Form <- Forms, is_text(Form)],
    unicode:characters_to_binary([erl_pp:form(Form, [{encoding, utf8}]) || Form <- Kept]).

is_text({attribute, _, file, _}) -> false;
is_text({eof, _}) -> false;
is_text(_) -> true.
