%% What process_info tells of links and monitors with processes of the other node, on both sides, as they come and go.
%% args: -connect_all false
%% timeout: 15
-module(relations).
-export([main/1]).

main([B]) ->
    cluster:quiet(),
    Self = self(),
    Pid = cluster:on(B, fun() ->
              New = spawn(fun() -> process_flag(trap_exit, true), served() end),
              register(related, New),
              New
          end),
    see:value("before", both(Pid)),
    link(Pid),
    see:value("linked", both(Pid)),
    unlink(Pid),
    see:value("unlinked", both(Pid)),
    ByPid = monitor(process, Pid),
    ByName = monitor(process, {related, B}),
    see:value("monitored twice", both(Pid)),
    demonitor(ByPid),
    see:value("by name", both(Pid)),
    demonitor(ByName),
    asks(Pid, fun() -> link(Self), monitor(process, Self) end),
    see:value("from there", both(Pid)),
    true = monitor_node(B, true),
    see:value("and the node", both(Pid)),
    process_flag(trap_exit, true),
    cluster:disconnect(B),
    see:value("told", lists:sort(cluster:plain(cluster:take(2)))),
    see:value("afterwards", both(Pid)),
    see:fails([fun() -> process_info(Pid) end, fun() -> process_info(Pid, links) end, fun() -> is_process_alive(Pid)
        end,
               fun() -> erlang:process_display(Pid, backtrace) end, fun() -> erlang:suspend_process(Pid) end,
               fun() -> erlang:garbage_collect(Pid) end, fun() -> erlang:check_process_code(Pid, ?MODULE) end,
               fun() -> register(remote, Pid) end,
               fun() -> exit({related, B}, x) end, fun() -> process_flag(Pid, save_calls, 0) end]).

served() ->
    receive {From, Fun} -> From ! {self(), Fun()}, served() end.

%% What the fun returns in that process.
asks(Pid, Fun) ->
    Pid ! {self(), Fun},
    receive {Pid, Result} -> Result end.

%% What this process and that one find of their own relations. What is taken back here is gone there with the next
%% signal.
both(Pid) ->
    Items = [links, monitors, monitored_by],
    Own = fun() -> [lists:sort([plain(One) || One <- element(2, process_info(self(), Item)), not is_port(One)])
        || Item <- Items] end,
    {Own(), asks(Pid, Own)}.

plain({process, What}) -> {process, plain(What)};
plain(Other) -> cluster:plain(Other).
