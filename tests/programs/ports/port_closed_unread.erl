%% A port that is closed while it holds output goes on reading what its program writes, because the program may read no
%% more before it has got rid of that; nobody is told of it. A closed socket sends all it holds, too, also what waits
%% for its turn only.
-module(port_closed_unread).
-export([main/0]).

main() ->
    program(),
    [socket(Options) || Options <- [[], [{delay_send, true}], [{packet, 2}]]].

program() ->
    File = "port_closed_unread." ++ os:getpid(),
    Port = open_port({spawn, "sh -c 'sleep 0.2; sed -u \"w " ++ File ++ "\" 2>/dev/null'"}, [binary, stream]),
    true = port_command(Port, binary:copy(<<"xxxxxxxxx\n">>, 6000)),
    true = port_command(Port, binary:copy(<<"yyyyyyyyy\n">>, 100000), [nosuspend]),
    see:value(queued, element(2, erlang:port_info(Port, queue_size)) > 900000),
    true = port_close(Port),
    %% What the program still has to write when its reader is gone is lost, but no more than two pipes hold.
    see:value(written, apart:wait(fun() -> filelib:file_size(File) > 900000 end, true, 400)),
    see:value(told, receive {Port, What} -> What after 0 -> nothing end),
    file:delete(File).

socket(Options) ->
    {ok, Listener} = gen_tcp:listen(0, [binary, {active, false}, {ip, {127, 0, 0, 1}}]),
    {ok, Number} = inet:port(Listener),
    Self = self(),
    Reader = spawn_link(fun() ->
        {ok, There} = gen_tcp:accept(Listener),
        receive read -> ok end,
        Self ! {self(), all(There, 0)}
    end),
    {ok, Here} = gen_tcp:connect({127, 0, 0, 1}, Number,
        [binary, {active, true}, {high_watermark, 100000000} | Options]),
    Part = [binary:copy(<<"z">>, 100) || _ <- lists:seq(1, 500)],
    [ok = gen_tcp:send(Here, Part) || _ <- lists:seq(1, 100)],
    true = port_close(Here),
    Reader ! read,
    see:value(Options, receive {Reader, Size} -> Size end).

all(Socket, Size) ->
    case gen_tcp:recv(Socket, 0, 10000) of
        {ok, Data} -> all(Socket, Size + byte_size(Data));
        {error, Reason} -> {Size, Reason}
    end.
