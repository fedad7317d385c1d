%% Two connected ends on the loopback interface, by the module socket.
-module(ends).
-export([stream/0]).

%% The socket that listened, the end that connected and the one that was accepted.
stream() ->
    {ok, L} = socket:open(inet, stream),
    ok = socket:bind(L, #{family => inet, port => 0, addr => loopback}),
    ok = socket:listen(L),
    {ok, N} = socket:sockname(L),
    {ok, A} = socket:open(inet, stream),
    ok = socket:connect(A, N),
    {ok, B} = socket:accept(L),
    {L, A, B}.
