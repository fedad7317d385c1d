%% Ports on descriptors that are not open: they can be opened; input is reported as bad, and output ends the port.
-module(descriptors_not_open).
-export([main/0, log/2]).

main() ->
    process_flag(trap_exit, true),
    ok = logger:set_primary_config(level, all),
    ok = logger:add_handler(?MODULE, ?MODULE, #{config => self()}),
    logger:remove_handler(default),
    [begin see:value(opened, Options), use(Options, fun erlang:port_close/1) end
     || Options <- [[], [in], [out], [in, eof, binary]]],
    [begin see:value(written, Options), use(Options, fun(Port) -> Port ! {self(), {command, "x"}}, true end) end
     || Options <- [[], [in], [out]]],
    [see:that(Label, fun() -> open_port({fd, In, Out}, []) end)
     || {Label, In, Out} <- [{negative_in, -1, 999}, {negative_out, 999, -1}]].

log(Event, #{config := Pid}) -> Pid ! {event, Event}.

use(Options, Use) ->
    Port = open_port({fd, 9998, 9999}, Options),
    see:value(name, [erlang:port_info(Port, Item) || Item <- [name, locking, os_pid]]),
    case lists:member(out, Options) of true -> ok; false -> told(Port) end,
    see:that(use, fun() -> Use(Port) end),
    receive {'EXIT', Port, Reason} -> see:value(ended, Reason) end.

told(Port) ->
    receive
        {event, #{level := Level, msg := {Format, [Text]}, meta := Meta}} ->
            Shown = string:replace(Text, erlang:port_to_list(Port), "a_port"),
            see:value(event, {Level, Format, lists:flatten(Shown), maps:get(error_logger, Meta),
                lists:sort(maps:keys(Meta))})
    end.
