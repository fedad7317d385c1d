%% Urgent data among the other: a read stops there, though more has come, and what follows must be read without another
%% event. The same with descriptors that come over a local socket.
-module(short_reads).
-export([main/0]).

main() ->
    [see:value(Mode, urgent(Mode)) || Mode <- [passive, true, once]],
    see:value(descriptors, descriptors()).

urgent(Mode) ->
    {ok, Listener} = gen_tcp:listen(0, [binary, {active, false}, {ip, {127, 0, 0, 1}}]),
    {ok, Number} = inet:port(Listener),
    {ok, There} = socket:open(inet, stream),
    ok = socket:connect(There, #{family => inet, addr => {127, 0, 0, 1}, port => Number}),
    {ok, Here} = gen_tcp:accept(Listener),
    %% It is watched from now on.
    {error, timeout} = gen_tcp:recv(Here, 0, 5),
    Seen = [round(Mode, Here, There, N) || N <- lists:seq(1, 5)],
    socket:close(There),
    gen_tcp:close(Here),
    Seen.

round(Mode, Here, There, N) ->
    ok = socket:send(There, <<"before", N>>),
    ok = socket:send(There, <<"!">>, [oob]),
    ok = socket:send(There, <<"after", N>>),
    %% All of it has come before the first read.
    timer:sleep(50),
    [inet:setopts(Here, [{active, Mode}]) || Mode =/= passive],
    Got = collect(Mode, Here, 13, <<>>),
    inet:setopts(Here, [{active, false}]),
    Got.

collect(Mode, Here, Size, Got) when byte_size(Got) < Size ->
    case next(Mode, Here) of
        {ok, More} -> collect(Mode, Here, Size, <<Got/binary, More/binary>>);
        Error -> {Got, Error}
    end;
collect(_, _, _, Got) ->
    Got.

next(passive, Here) ->
    gen_tcp:recv(Here, 0, 1000);
next(Mode, Here) ->
    receive
        {tcp, Here, More} ->
            [inet:setopts(Here, [{active, once}]) || Mode =:= once],
            {ok, More}
    after 1000 -> nothing
    end.

descriptors() ->
    Name = "short_reads." ++ os:getpid(),
    {ok, Listener} = gen_tcp:listen(0, [binary, {active, false}, {ifaddr, {local, Name}}]),
    {ok, There} = socket:open(local, stream),
    ok = socket:connect(There, #{family => local, path => Name}),
    {ok, Here} = gen_tcp:accept(Listener),
    ok = file:delete(Name),
    {error, timeout} = gen_tcp:recv(Here, 0, 5),
    Rights = #{level => socket, type => rights, data => <<0:32/native>>},
    Round = fun(N) ->
        [ok = socket:sendmsg(There, #{iov => [<<"some", N>>], ctrl => [Rights]}) || _ <- [1, 2, 3]],
        timer:sleep(50),
        collect(passive, Here, 15, <<>>)
    end,
    [Round(N) || N <- lists:seq(1, 5)].
