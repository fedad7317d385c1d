%% What is wrong with a call to a port, and how it is explained: every option of open_port with values of every kind,
%% and the arguments of all functions on ports.
%% timeout: 60
-module(port_refusals).
-export([main/0]).

main() ->
    process_flag(trap_exit, true),
    ok = logger:set_primary_config(level, none),
    names(),
    options(),
    combinations(),
    calls(),
    port_functions().

%% Values that are good for some option, and such as are good for none.
values() ->
    [0, 1, 2, 3, 4, -1, 1 bsl 40, 1 bsl 70, 1.0, a, true, false, disabled, [], "", "a", "a=b", [0], [$a, 0, $b], [300],
        [-1], [1 bsl 30], ["a"],
     ["a" | b], [a, b], [<<"a">>], [{"a", "b"}], [{"a", false}], [{"a", true}], [{<<"a">>, <<"b">>}], [{a, b}],
     [{"a", "b", "c"}],
     [{"", "b"}], [{"a", [0]}], [{"a", ""}], <<>>, <<"a">>, <<0>>, <<1:1>>, <<255>>, {}, {1}, {1, 2}, {2, 1}, {0, 1},
     {1, 0}, {-1, 5}, {1, 1 bsl 70},
     {a, 1}, {1, 2, 3}, #{}, [[["a"]]], [[]], [""], ["", ""]].

names() ->
    Kinds = [spawn, spawn_driver, spawn_executable, fd, other, 1, "spawn"],
    [see:value({name, N}, opened(N, [])) || N <- [x, 1, "cat", <<"cat">>, [], {}, {spawn}, {spawn, "true", x}, {fd, 1},
        {fd, 1, 2, 3}]],
    [see:value({name, {K, V}}, opened({K, V}, [])) || K <- Kinds, V <- values(),
        not (K =:= spawn andalso is_command(V))],
    [see:value({fd, A, B}, opened({fd, A, B}, [])) || A <- [-1, a, 1 bsl 40, 1 bsl 70, 1 bsl 30, []],
        B <- [-1, a, 1 bsl 40, 1 bsl 30]].

%% A shell would be asked for it; what it answers is not of interest here.
is_command(V) -> V =:= a orelse V =:= true orelse V =:= false orelse V =:= disabled orelse is_list(V)
    orelse is_binary(V).

options() ->
    Options = [packet, line, cd, env, args, arg0, parallelism, busy_limits_port, busy_limits_msgq, stream, binary, eof,
        exit_status, in, out,
               use_stdio, nouse_stdio, stderr_to_stdout, hide, overlapped_io, nosuch, 1, "packet"],
    [see:value({option, O, V}, opened({spawn_executable, "/bin/true"}, [{O, V}])) || O <- Options, V <- values()],
    [see:value({option, O}, opened({spawn_executable, "/bin/true"}, [O])) || O <- Options ++ [{}, {line}, {line, 1, 2},
        [], #{}, <<"eof">>]],
    [see:value({options, O}, opened({spawn_executable, "/bin/true"}, O)) || O <- [x, 1, <<>>, {}, [eof | x],
        [eof | eof], #{}]].

%% Those that exclude each other, and those that come twice.
combinations() ->
    All = [stream, {packet, 1}, {packet, 4}, {line, 3}, line, use_stdio, nouse_stdio, stderr_to_stdout, in, out,
        {args, ["x"]}, {arg0, "y"},
           {cd, "/"}, {cd, "/no/such"}, {env, []}, hide, {parallelism, true}],
    [see:value({both, [A, B]}, opened(Name, [A, B]))
     || Name <- [{spawn_executable, "/bin/true"}, {spawn, "true"}, {spawn_driver, "ram_file_drv"},
         {fd, 1 bsl 30, 1 bsl 30}], A <- All, B <- All, A =/= B].

calls() ->
    Port = open_port({spawn_driver, "ram_file_drv"}, []),
    Closed = open_port({spawn_driver, "ram_file_drv"}, []),
    port_close(Closed),
    receive {'EXIT', Closed, _} -> ok end,
    register(a_port, Port),
    Ports = [Port, a_port, Closed, no_port, a, 1, "x", self(), make_ref(), {}, init],
    Data = ["x", <<"x">>, [], x, [256], [-1], <<1:1>>, [<<1:1>>], [a | b], 1, {}, ["a" | <<"b">>]],
    [see:value({port_control, which(P), O, D}, answer(fun() -> erlang:port_control(P, O, D) end))
     || P <- Ports, O <- [-1, 99, 1 bsl 32, 1 bsl 32 - 1, 1 bsl 70, a, 1.0], D <- ["x", x, [256], <<1:1>>]],
    [see:value({port_control, D}, answer(fun() -> erlang:port_control(Port, 99, D) end)) || D <- Data],
    [see:value({port_call, which(P), O}, answer(fun() -> erlang:port_call(P, O, {some, "data"}) end))
     || P <- Ports, O <- [-1, 99, 1 bsl 32, a]],
    see:value(port_call, answer(fun() -> erlang:port_call(Port, x) end)),
    [see:value({port_command, which(P), D}, answer(fun() -> port_command(P, D) end)) || P <- Ports -- [Port, a_port],
        D <- Data],
    [see:value({port_command, which(P), F}, answer(fun() -> port_command(P, "x", F) end))
     || P <- Ports -- [Port, a_port], F <- [[], [force], [nosuspend], [force, nosuspend], [x], x, [force | x]]],
    [see:value({port_command, F}, answer(fun() -> port_command(Port, "x", F) end))
        || F <- [[force], [x], x, [nosuspend | x], [force, x]]],
    [see:value({port_connect, which(P), which(W)}, answer(fun() -> port_connect(P, W) end))
     || P <- Ports -- [Port, a_port], W <- [self(), a, 1, init, Port]],
    [see:value({port_connect, which(W)}, answer(fun() -> port_connect(Port, W) end)) || W <- [a, 1, init, Port, "x"]],
    [see:value({port_close, which(P)}, answer(fun() -> port_close(P) end)) || P <- Ports -- [Port, a_port]],
    [see:value({port_set_data, which(P)}, answer(fun() -> erlang:port_set_data(P, {"some", data}) end)) || P <- Ports],
    [see:value({port_get_data, which(P)}, answer(fun() -> erlang:port_get_data(P) end)) || P <- Ports],
    [see:value({is_port, which(P)}, answer(fun() -> is_port(P) end)) || P <- Ports],
    see:value(unregistered, answer(fun() -> unregister(a_port) end)),
    port_close(Port).

port_functions() ->
    Me = self(),
    Port = open_port({spawn, "/bin/cat"}, [binary]),
    Items = [name, links, id, connected, input, output, os_pid, queue_size, memory, parallelism, locking, monitors,
        monitored_by, registered_name],
    Kind = fun({I, V}) when I =:= id; I =:= os_pid; I =:= memory -> {I, is_integer(V) andalso V > 0};
              ({I, V}) when I =:= connected -> {I, V =:= Me};
              ({I, V}) when I =:= links; I =:= monitored_by -> {I, [which(P) || P <- V]};
              (Other) -> Other
           end,
    Shown = fun() -> [Kind(erlang:port_info(Port, I)) || I <- Items] end,
    see:value(items, Shown()),
    port_command(Port, "12345"),
    receive {Port, {data, <<"12345">>}} -> ok end,
    register(a_cat, Port),
    Refs = [monitor(port, P) || P <- [Port, a_cat]],
    Other = spawn_link(fun() -> link(Port), Me ! linked, receive stop -> ok end end),
    receive linked -> ok end,
    see:value(items, Shown()),
    see:value(all, [Kind(I) || I <- erlang:port_info(Port)]),
    see:value(by_name, erlang:port_info(a_cat, registered_name)),
    [demonitor(R) || R <- Refs],
    unlink(Port),
    see:value(items, [Kind(erlang:port_info(Port, I)) || I <- [monitored_by]] ++
        [length(element(2, erlang:port_info(Port, links)))]),
    [see:value({port_info, which(P)}, answer(fun() -> is_list(erlang:port_info(P)) end)) || P <- [Port, a_cat, no_port,
        1, "x", self()]],
    [see:value({port_info, which(P), I}, answer(fun() -> erlang:port_info(P, I) end))
     || P <- [Port, a_cat, no_port, 1, self()], I <- [nosuch, 1, "name", [name], [name, input], []]],
    [see:value({register, N}, answer(fun() -> register(N, Port) end)) || N <- [a_cat, another, undefined, 1, "x",
        init]],
    see:value(whereis, {whereis(a_cat) =:= Port, lists:member(a_cat, registered())}),
    a_cat ! {Me, {command, "by name"}},
    see:value(by_name, receive {Port, {data, D}} -> D after 10000 -> none end),
    link(Port),
    see:value(exit, answer(fun() -> exit(Port, kill) end)),
    see:value(killed, receive {'EXIT', Port, Why} -> Why after 10000 -> none end),
    see:value(whereis, {whereis(a_cat), answer(fun() -> a_cat ! x end), answer(fun() -> unregister(a_cat) end)}),
    see:value(other, apart:wait(fun() -> is_process_alive(Other) end, false, 200)),
    see:value(other_exit, receive {'EXIT', Other, killed} -> killed; {'EXIT', Other, Why2} -> Why2 after 10000 -> none
        end).

which(P) when is_pid(P), P =:= self() -> self;
which(P) when is_pid(P) -> pid;
which(P) when is_port(P) -> case erlang:port_info(P) of undefined -> closed; _ -> port end;
which(P) when is_reference(P) -> ref;
which(P) -> P.

%% Opened, or why not; then it is closed.
opened(Name, Options) ->
    case answer(fun() -> open_port(Name, Options) end) of
        Port when is_port(Port) -> catch port_close(Port), receive {'EXIT', Port, _} -> opened after 10000 -> stays end;
        Reason -> Reason
    end.

answer(Fun) ->
    try Fun() catch
        Class:Reason:Stack ->
            Text = unicode:characters_to_list(erl_error:format_exception(Class, Reason, Stack)),
            {Class, Reason, [string:trim(L) || L <- string:split(Text, "\n", all), string:find(L, "***") =/= nomatch]}
    end.
