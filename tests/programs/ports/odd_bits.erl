%% Output to ports of bit strings that are no binaries: which are refused, and what is written of the others.
-module(odd_bits).
-export([main/0, log/2]).

main() ->
    process_flag(trap_exit, true),
    register(main, self()),
    ok = logger:add_handler(told, ?MODULE, #{}),
    ok = logger:remove_handler(default),
    Data = [[<<"a">>, <<5:3>>, <<"b">>], [<<5:3>>], <<5:3>>, [<<"a">>, <<1:9>>], <<1:15>>, [<<1:12>>, <<"b">>],
        [<<"a">> | <<5:3>>],
        [binary:copy(<<"x">>, 100), <<1:1>>], [<<>>, <<0:0>>, "ab"]],
    [tcp(D) || D <- Data],
    [program(D) || D <- Data],
    {ok, U} = gen_udp:open(0, [binary, {active, false}, {ip, {127, 0, 0, 1}}]),
    {ok, Number} = inet:port(U),
    [see:value({udp, D}, {gen_udp:send(U, {127, 0, 0, 1}, Number, D), received(gen_udp:recv(U, 0, 100))}) || D <- Data],
    program(no_output),
    see:value(logged, lists:sort(maps:to_list(logged(#{})))).

%% How often each text was logged.
logged(Counts) ->
    receive {logged, Text} -> logged(maps:update_with(Text, fun(N) -> N + 1 end, 1, Counts)) after 1000 -> Counts end.

log(#{msg := {Format, Arguments}}, _) when is_list(Arguments) -> main ! {logged, lists:flatten(io_lib:format(Format,
    Arguments))};
log(#{msg := Other}, _) -> main ! {logged, Other}.

tcp(Data) ->
    {A, C} = pair(),
    see:value({tcp, Data}, {gen_tcp:send(A, Data), gen_tcp:recv(C, 0, 100)}),
    see:value(command, try port_command(A, [<<0:(0)>>, Data]) catch _:Reason -> Reason end),
    see:value(still_open, is_list(erlang:port_info(A))),
    [gen_tcp:close(S) || S <- [A, C]],
    {B, D} = pair(),
    B ! {self(), {command, Data}},
    see:value(message, receive {'EXIT', B, Why} -> Why after 100 -> nothing end),
    [gen_tcp:close(S) || S <- [B, D]].

pair() ->
    {ok, L} = gen_tcp:listen(0, [{ip, {127, 0, 0, 1}}]),
    {ok, Number} = inet:port(L),
    {ok, C} = gen_tcp:connect({127, 0, 0, 1}, Number, [binary, {active, false}]),
    {ok, A} = gen_tcp:accept(L),
    gen_tcp:close(L),
    {A, C}.

program(Data) ->
    Cat = open_port({spawn, "cat"}, [binary]),
    see:value({program, Data}, try port_command(Cat, Data) catch _:Reason -> Reason end),
    Cat ! {self(), {command, Data}},
    catch port_command(Cat, "."),
    see:value(written, until_point(Cat, <<>>)),
    catch port_close(Cat).

%% What the program has written up to the first point, or why the port has ended.
until_point(Port, Written) ->
    receive
        {Port, {data, Data}} ->
            case binary:split(<<Written/binary, Data/binary>>, <<".">>) of
                [All, <<>>] -> All;
                [More] -> until_point(Port, More)
            end;
        {'EXIT', Port, Why} -> Why
    after 20000 -> silent
    end.

received({ok, {_, _, Data}}) -> Data;
received(Other) -> Other.
