%% What can be done with a port of another node, and with one of an earlier incarnation of this node.
-module(ports_of_others).
-export([main/0]).

main() ->
    [tried(Which, Port, Call)
     || {Which, Port} <- [{foreign, port("other@host", 5)}, {large, port("other@host", 5 bsl 40)},
         {earlier, port("nonode@nohost", 5)}],
        Call <- calls(Port)],
    ok.

%% A port of a node with this name, and of its third incarnation.
port(Node, Number) ->
    binary_to_term(<<131, 120, 100, (length(Node)):16, (list_to_binary(Node))/binary, Number:64, 3:32>>).

calls(Port) ->
    [{erlang, Name, [Port]} || Name <- [is_port, port_info, port_close, port_get_data, link, unlink, process_info]]
        ++ [{erlang, port_info, [Port, Item]} || Item <- [name, id, registered_name, no_item, [name]]]
        ++ [{erlang, port_connect, [Port, self()]}, {erlang, port_control, [Port, 1, []]},
            {erlang, port_call, [Port, 1, []]},
            {erlang, port_command, [Port, []]}, {erlang, port_command, [Port, [], [nosuspend]]},
            {erlang, port_set_data, [Port, 1]},
            {erlang, exit, [Port, kill]}, {erlang, '!', [Port, hello]}, {erlang, send, [Port, hello]},
            {erlang, send, [Port, hello, []]},
            {erlang, send, [Port, hello, [noconnect, nosuspend]]}, {erlang, send_nosuspend, [Port, hello]},
            {erlang, register, [of_another, Port]}, {erlang, node, [Port]}, {erlang, port_info, [of_another]}].

tried(Which, Port, {Module, Name, Arguments}) ->
    Label = {Which, Name, [shown(Argument, Port) || Argument <- Arguments]},
    try apply(Module, Name, Arguments) of
        Value -> see:value(Label, shown(Value, Port))
    catch
        Class:Reason:Stack -> see:value(Label, {Class, Reason, about(hd(Stack))})
    end.

shown(Port, Port) -> port;
shown(Pid, _) when is_pid(Pid) -> pid;
shown(Value, _) -> Value.

about({_, _, _, Location}) -> proplists:get_value(error_info, Location).
