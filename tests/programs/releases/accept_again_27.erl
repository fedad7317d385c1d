%% A process that accepts again while its first request waits is told that this one is cancelled, unless it has been
%% told to try.
%% releases: 27 29
-module(accept_again_27).
-export([main/0]).

main() ->
    Listener = listener(),
    {select, {select_info, _, First}} = socket:accept(Listener, nowait),
    see:value(none_yet, aborted(First)),
    {select, {select_info, _, Second}} = socket:accept(Listener, nowait),
    see:value(replaced, aborted(First)),
    see:value(timeout, [socket:accept(Listener, 20), aborted(Second)]),
    Same = make_ref(),
    {select, _} = socket:accept(Listener, Same),
    {select, _} = socket:accept(Listener, Same),
    see:value(same_reference, aborted(Same)),
    Client = connect(Listener),
    receive {'$socket', Listener, select, Same} -> ok end,
    {ok, Accepted} = socket:accept(Listener, nowait),
    see:value(told_before, aborted(Same)),
    {select, {select_info, _, Last}} = Waits = socket:accept(Listener, nowait),
    see:value(other_process, of_other(Listener, Last)),
    see:value(cancel, socket:cancel(Listener, element(2, Waits))),
    [socket:close(Socket) || Socket <- [Accepted, Client, Listener]],
    see:value(nothing_else, receive Other -> Other after 0 -> nothing end).

listener() ->
    {ok, Listener} = socket:open(inet, stream),
    ok = socket:bind(Listener, #{family => inet, addr => loopback, port => 0}),
    ok = socket:listen(Listener),
    Listener.

connect(Listener) ->
    {ok, Client} = socket:open(inet, stream),
    {ok, Address} = socket:sockname(Listener),
    ok = socket:connect(Client, Address),
    Client.

aborted(Handle) ->
    receive {'$socket', _, abort, {Handle, Reason}} -> Reason after 0 -> nothing end.

%% One that stands in line behind the first.
of_other(Listener, First) ->
    {_, Monitor} = spawn_monitor(fun() ->
                                         {select, Waits} = socket:accept(Listener, nowait),
                                         exit({waits, socket:cancel(Listener, Waits)})
                                 end),
    receive {'DOWN', Monitor, process, _, Reason} -> {Reason, aborted(First)} end.
