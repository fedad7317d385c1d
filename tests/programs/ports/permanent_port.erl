%% Each node has a port of its own, which starts programs on stock. It is the first of all, belongs to the first
%% process, takes what is sent to it, and cannot be closed.
-module(permanent_port).
-export([main/0]).

main() ->
    Port = hd(erlang:ports()),
    see:value(listed, {Port, length(erlang:ports()) - erlang:system_info(port_count)}),
    see:value(same, {Port =:= list_to_port("#Port<0.0>"), Port =:= binary_to_term(term_to_binary(Port))}),
    info(Port),
    owned_by_another(Port),
    linked(Port),
    named(Port),
    connected(Port),
    left(Port),
    see:value(programs, os:cmd("echo started")),
    see:value(messages, process_info(self(), messages)).

info(Port) ->
    Items = [name, links, connected, input, output, os_pid, registered_name, monitors, monitored_by, parallelism,
             queue_size, locking],
    see:value(info, [erlang:port_info(Port, Item) || Item <- Items]).

show(Port) ->
    see:value(still, [erlang:port_info(Port, Item) || Item <- [name, connected, output]]).

owned_by_another(Port) ->
    see:that(close, fun() -> port_close(Port) end),
    see:that(control, fun() -> port_control(Port, 1, "") end),
    see:that(call, fun() -> erlang:port_call(Port, 1, a) end),
    [see:that({exit, Reason}, fun() -> exit(Port, Reason) end) || Reason <- [normal, kill, other]],
    [see:that({sent, Message}, fun() -> Port ! Message, ok end) || Message <- [x, {x, close}]],
    [see:that({command, Options}, fun() -> port_command(Port, "abc", Options) end)
     || Options <- [[], [nosuspend], [force]]],
    see:that(bits, fun() -> port_command(Port, <<1:3>>) end),
    see:that(data, fun() -> {erlang:port_set_data(Port, some), erlang:port_get_data(Port)} end),
    show(Port).

linked(Port) ->
    see:that(link, fun() -> link(Port) end),
    see:value(links, erlang:port_info(Port, links) =:= {links, [self()]}),
    see:value(own_links, process_info(self(), links) =:= {links, [Port]}),
    see:that(unlink, fun() -> unlink(Port) end),
    Monitor = monitor(port, Port),
    see:value(monitored, erlang:port_info(Port, monitored_by) =:= {monitored_by, [self()]}),
    see:that(demonitor, fun() -> demonitor(Monitor, [info]) end).

named(Port) ->
    see:that(register, fun() -> register(fork, Port) end),
    see:value(named, {whereis(fork), erlang:port_info(Port, registered_name), port_command(fork, "d")}),
    see:that(unregister, fun() -> unregister(fork) end).

connected(Port) ->
    see:that(connect, fun() -> port_connect(Port, self()) end),
    see:value(mine, erlang:port_info(Port, connected) =:= {connected, self()}),
    [see:that({sent, What}, fun() -> Port ! {self(), What}, ok end) || What <- [{command, "efg"}, close]],
    see:that(close, fun() -> port_close(Port) end),
    see:that(unlink, fun() -> unlink(Port) end),
    see:value(output, erlang:port_info(Port, output)).

%% The process that the port is connected to, and linked with, ends.
left(Port) ->
    {_, Monitor} = spawn_monitor(fun() -> true = port_connect(Port, self()), exit(over) end),
    receive {'DOWN', Monitor, process, _, Reason} -> see:value(ended, Reason) end,
    see:value(still, erlang:port_info(Port, name)).
