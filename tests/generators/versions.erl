%% What `processes.erl` loads and purges: compiled with VERSION from 1 to 3.
-module(versions).
-export([version/0, funs/0, literal/0, stay/1]).

version() -> ?VERSION.

%% Funs that answer the version, with and without variables of their own.
funs() ->
    Version = version(),
    [fun() -> ?VERSION end, fun() -> Version end, fun() -> element(1, {Version, literal()}) end].

literal() -> {?VERSION, "a literal", [{?VERSION, <<"of some words">>}], #{version => ?VERSION}}.

%% Waits within this code.
stay(Parent) ->
    Parent ! {from, self(), stays},
    receive go -> ok end,
    ?VERSION.
