%% halt with a status of one's own, after output.
%% status: 7
-module(exit_status).
-export([main/0]).

main() ->
    io:format("before~n"),
    Self = self(),
    spawn(fun() -> io:format("from another process~n"), Self ! done end),
    receive done -> ok end,
    io:format(lists:duplicate(20000, $x) ++ "~n"),
    halt(7).
