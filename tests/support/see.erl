%% What the differential programs print with, so that all print alike. Every line is
%% the same on any machine that runs the language as stock does: no process
%% identifiers, references, addresses or times.
-module(see).
-export([id/1, value/2, before/3, term/0, that/2, all/1, fails/1, fails/2, frames/1]).

%% Its argument, unknown to the compiler.
id(X) -> X.

%% A labelled value.
value(Label, Value) ->
    io:format("~ts: ~" ++ term() ++ "~n", [text(Label), Value]).

%% A labelled value, up to the release before this one: later the language leaves it open, or it is the machine's own
%% affair.
before(Release, Label, Fun) ->
    case list_to_integer(erlang:system_info(otp_release)) < Release of
        true -> value(Label, Fun());
        false -> ok
    end.

%% What a fun returns, or how it fails.
that(Label, Fun) ->
    try Fun() of
        Value -> value(Label, Value)
    catch
        Class:Reason:Stack ->
            io:format("~ts: ~w ~" ++ term() ++ "~n", [text(Label), Class, Reason]),
            lists:foreach(fun(Frame) -> io:format("    ~" ++ term() ++ "~n", [Frame]) end, frames(Stack))
    end.

%% How a term is shown on one line, with the keys of maps in order: from OTP 26 on that of atoms is open.
term() ->
    case erlang:system_info(otp_release) of
        "25" -> "0tp";
        _ -> "0ktp"
    end.

all(Pairs) ->
    lists:foreach(fun({Label, Fun}) -> that(Label, Fun) end, Pairs).

%% For funs that are expected to fail, numbered when they have no label.
fails(Funs) ->
    lists:foldl(fun(Fun, Nth) -> fails(Nth, Fun), Nth + 1 end, 1, Funs),
    ok.

fails(Label, Fun) -> that(Label, Fun).

%% The frames of a stack trace up to the call from this module: function, arity or
%% arguments, line, and what error_info says. Stock's machine shows the frame of an
%% arithmetic operator for some forms of it and not for others (A - B, but not A - 1
%% or A / B), which no program should depend on.
frames(Stack) ->
    [frame(F) || F <- lists:takewhile(fun(F) -> element(1, F) =/= ?MODULE end, Stack), not is_operator(F)].

is_operator({erlang, Name, _, _}) ->
    lists:member(Name, ['+', '-', '*', '/', 'div', 'rem', 'band', 'bor', 'bxor', 'bsl', 'bsr', 'bnot']);
is_operator(_) ->
    false.

frame({M, F, A, Location}) ->
    Line = case lists:keyfind(line, 1, Location) of
               {line, L} -> [{line, L}];
               false -> []
           end,
    Info = case lists:keyfind(error_info, 1, Location) of
               {error_info, Map} -> [{error_info, lists:sort(maps:to_list(Map))}];
               false -> []
           end,
    {M, F, shown(A), Line ++ Info};
frame(Other) ->
    plain(Other).

%% Arguments may be anything, also what can't be printed alike twice.
shown(Arguments) when is_list(Arguments) -> [plain(A) || A <- Arguments];
shown(Arity) -> Arity.

plain(F) when is_function(F) -> a_fun;
plain(P) when is_pid(P) -> a_pid;
plain(P) when is_port(P) -> a_port;
plain(R) when is_reference(R) -> a_reference;
plain(L) when is_list(L) -> plain_list(L);
plain(T) when is_tuple(T) -> list_to_tuple([plain(E) || E <- tuple_to_list(T)]);
plain(Other) -> Other.

plain_list([H | T]) -> [plain(H) | plain_list(T)];
plain_list([]) -> [];
plain_list(Tail) -> plain(Tail).

text(Label) when is_atom(Label) -> atom_to_list(Label);
text(Label) ->
    case io_lib:printable_unicode_list(Label) of
        true -> Label;
        false -> io_lib:format("~" ++ term(), [Label])
    end.
