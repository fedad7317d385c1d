%% The functions of the module string, on binaries and on lists.
-module(compute_string_functions).
-export([run/0]).

run() -> loop(700, 0).

loop(0, Sum) -> Sum;
loop(N, Sum) ->
    Request = "  GET /users/" ++ integer_to_list(N) ++ "/posts?limit=20&sort=date&q=a+b  ",
    loop(N - 1, Sum + parts(Request) + parts(list_to_binary(Request))).

parts(Request) ->
    [Method, Path | _] = string:split(string:trim(Request), " ", all),
    [Before, Query] = string:split(Path, "?"),
    Pairs = [string:split(Pair, "=") || Pair <- string:split(Query, "&", all)],
    Spaced = string:replace(Query, "+", " ", all),
    Padded = string:pad(Method, 10, leading, $.),
    Found = string:find(Path, "/posts"),
    Prefix = string:prefix(Before, "/users/"),
    {Number, _} = string:to_integer(Prefix),
    length(Pairs) + string:length(Spaced) + string:length(Padded) + string:length(Found) + Number +
        length(string:lexemes(Before, "/")) + string:length(string:slice(Path, 3, 8)) +
        string:length(string:titlecase(string:lowercase(Method))) + case string:equal(Method, "get", true) of true -> 1;
            false -> 0 end.
