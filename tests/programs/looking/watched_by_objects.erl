%% What monitors a process: other processes, newest first, and the references of the sockets and open files that it
%% owns, and of sockets that it waits for.
-module(watched_by_objects).
-export([main/0]).

-include_lib("kernel/include/file.hrl").

main() -> watchers(), owners(), waiting(), files().

watchers() ->
    Watched = waits(),
    Watchers = [waits_behind(fun() -> monitor(process, Watched) end) || _ <- "12345"],
    {monitored_by, By} = process_info(Watched, monitored_by),
    see:value("processes, newest first", By =:= lists:reverse(Watchers)),
    [exit(Pid, kill) || Pid <- [Watched | Watchers]].

owners() ->
    {ok, First} = socket:open(inet, stream, tcp),
    {ok, Second} = socket:open(inet, stream, tcp),
    see:value("sockets", until(lists:sort([number(First), number(Second)]), self())),
    see:value("are sockets", [element(1, socket:sockname({'$socket', Number})) || Number <- by(self())]),
    Other = waits(),
    see:value("given away", socket:setopt(Second, otp, controlling_process, Other)),
    see:value("to another", {until([number(First)], self()), until([number(Second)], Other)}),
    see:value("closed", {socket:close(Second), until([], Other), socket:close(First), until([], self())}),
    exit(Other, kill).

waiting() ->
    {ok, Listener} = socket:open(inet, stream, tcp),
    ok = socket:bind(Listener, #{family => inet, port => 0, addr => loopback}),
    ok = socket:listen(Listener),
    Parent = self(),
    Accept = fun() -> {ok, New} = socket:accept(Listener), Parent ! {accepted, New}, receive stop -> ok end end,
    [Acceptor, Later] = [spawn(Accept), spawn(fun() -> socket:accept(Listener) end)],
    see:value("accepting", [until([number(Listener)], Pid) || Pid <- [Acceptor, Later]]),
    exit(Later, kill),
    {ok, Name} = socket:sockname(Listener),
    {ok, Connected} = socket:open(inet, stream, tcp),
    ok = socket:connect(Connected, Name),
    receive {accepted, Accepted} -> see:value("accepted", until([number(Accepted)], Acceptor)) end,
    {select, Info} = socket:recv(Connected, 0, nowait),
    see:value("reading what one owns", until(lists:sort([number(S) || S <- [Connected, Connected, Listener]]), self())),
    ok = socket:cancel(Connected, Info),
    see:value("and no more", until(lists:sort([number(Connected), number(Listener)]), self())),
    Reader = spawn(fun() -> socket:recv(Connected) end),
    see:value("another reader", until([number(Connected)], Reader)),
    exit(Reader, kill),
    see:value("closed", {socket:close(Connected), socket:close(Listener), until([], self())}),
    exit(Acceptor, kill).

files() ->
    {ok, #file_descriptor{data = #{handle := Handle}} = Raw} = file:open(code:which(?MODULE), [raw, binary, read]),
    see:value("a raw file", until([Handle], self())),
    {ok, Io} = file:open(code:which(?MODULE), [read]),
    see:value("a file", {length(by(self())), until(1, Io)}),
    see:value("closed", {file:close(Io), file:close(Raw), until([], self())}).

number({'$socket', Reference}) -> Reference.

%% The references alone, in no order that is promised; stock sets these monitors by signals to the process.
by(Pid) ->
    {monitored_by, By} = process_info(Pid, monitored_by),
    [Reference || Reference <- By, is_reference(Reference)].

%% Waits until the references are those, or so many.
until(Expected, Pid) -> until(Expected, Pid, 500).

until(Expected, Pid, Times) ->
    By = lists:sort(by(Pid)),
    case By =:= Expected orelse length(By) =:= Expected of
        true -> as_expected;
        false when Times =:= 0 -> {Expected, By};
        false -> timer:sleep(10), until(Expected, Pid, Times - 1)
    end.

waits() -> spawn(fun() -> receive stop -> ok end end).

waits_behind(Before) ->
    Parent = self(),
    Pid = spawn(fun() -> Before(), Parent ! {self(), ready}, receive stop -> ok end end),
    receive {Pid, ready} -> Pid end.
