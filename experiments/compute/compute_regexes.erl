%% Regular expressions as in everyday programs: fields of log lines, validation, replacing and splitting.
-module(compute_regexes).
-export([run/0]).

run() ->
    {ok, Line} = re:compile("^(\\S+) - (\\w+) \\[([^\\]]+)\\] \"(GET|POST) ([^ ]+) HTTP/1\\.[01]\" (\\d{3}) (\\d+)$"),
    {ok, Mail} = re:compile("^[a-z0-9._%+-]+@[a-z0-9.-]+\\.[a-z]{2,}$", [caseless]),
    loop(1200, Line, Mail, 0).

loop(0, _, _, Sum) -> Sum;
loop(N, Line, Mail, Sum) ->
    Number = integer_to_binary(N),
    Text = <<"10.0.0.", Number/binary, " - user", Number/binary, " [22/Nov/2026:22:11:01 +0000] \"GET /page/",
        Number/binary,
             "?a=1 HTTP/1.1\" 200 ", Number/binary>>,
    {match, [_, User, _, _, Path, _, Size]} = re:run(Text, Line, [{capture, all_but_first, binary}]),
    match = re:run(<<User/binary, "@Example.org">>, Mail, [{capture, none}]),
    nomatch = re:run(Path, Mail, [{capture, none}]),
    Slashes = re:split(Path, "[/?=]", [{return, list}]),
    Replaced = re:replace(Text, "\\d+", "#", [global, {return, binary}]),
    {match, Numbers} = re:run(Text, "\\d+", [global]),
    loop(N - 1, Line, Mail, Sum + binary_to_integer(Size) + length(Slashes) + byte_size(Replaced) + length(Numbers)).
