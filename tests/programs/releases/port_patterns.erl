%% Patterns for `send` and `'receive'`, and ports that are traced for both: what is told with each.
%% releases: 25 27 29
-module(port_patterns).
-export([main/0]).

main() ->
    see:value(told, [{Pattern, told(Pattern)} || Pattern <- patterns()]).

patterns() ->
    [[],
     [{send, false}], [{send, true}], [{'receive', false}],
     [{send, [{'_', [], []}]}], [{send, [{[none, '_'], [], []}]}], [{send, [{'_', [], [{message, false}]}]}],
     [{'receive', [{[none, none, '_'], [], []}]}]].

told(Patterns) ->
    [erlang:trace_pattern(Event, true, []) || Event <- [send, 'receive']],
    [erlang:trace_pattern(Event, Specification, []) || {Event, Specification} <- Patterns],
    Port = open_port({spawn, "cat"}, [binary, stream]),
    erlang:trace(Port, true, [send, 'receive']),
    Port ! {self(), {command, <<"text">>}},
    receive {Port, {data, <<"text">>}} -> ok end,
    erlang:trace(Port, false, [send, 'receive']),
    port_close(Port),
    [erlang:trace_pattern(Event, true, []) || Event <- [send, 'receive']],
    Delivered = erlang:trace_delivered(all),
    receive {trace_delivered, all, Delivered} -> ok end,
    lists:sort(events(Port)).

events(Port) ->
    receive
        {trace, Port, Event, Message} -> [{Event, kind(Message)} | events(Port)];
        {trace, Port, Event, Message, _To} -> [{Event, kind(Message)} | events(Port)]
    after 0 -> []
    end.

kind({_, {command, _}}) -> command;
kind({_, {data, _}}) -> data;
kind(_) -> other.
