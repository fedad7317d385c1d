%% What a sensitive process does not tell, neither others nor itself.
-module(sensitive).
-export([main/0]).

main() ->
    Main = self(),
    Pid = spawn_link(fun() ->
                             put(key, value),
                             Main ! {was, process_flag(sensitive, true)},
                             receive revert -> Main ! {was, process_flag(sensitive, false)} end,
                             receive never -> ok end
                     end),
    receive {was, Was} -> see:value(was, Was) end,
    put(key, value),
    Pid ! {a, message},
    self() ! {a, message},
    see:value(normal, told(self())),
    see:value(was, process_flag(sensitive, true)),
    see:value(itself, told(self())),
    see:value(another, told(Pid)),
    see:value(still_there, [get(key), get(), process_info(self(), message_queue_len)]),
    see:value(was, process_flag(sensitive, false)),
    Pid ! revert,
    receive {was, Reverted} -> see:value(was, Reverted) end,
    see:value(itself, told(self())),
    see:value(another, told(Pid)),
    see:fails([fun() -> process_flag(sensitive, see:id(perhaps)) end]).

told(Pid) ->
    {backtrace, Trace} = process_info(Pid, backtrace),
    [{dictionary, Dictionary}, {messages, Messages}] = process_info(Pid, [dictionary, messages]),
    All = process_info(Pid),
    [lists:member({key, value}, Dictionary), Messages, byte_size(Trace) > 20,
        proplists:get_value(key, proplists:get_value(dictionary, All))].
