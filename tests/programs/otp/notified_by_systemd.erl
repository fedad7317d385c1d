%% The example docs/book/src/systemd: a service that tells systemd when it is ready, that it lives, and that it stops.
%% The program is systemd: a socket with a name, in the file system or without a file.
-module(notified_by_systemd).
-export([main/0]).

main() ->
    Root = filename:dirname(filename:dirname(filename:dirname(filename:dirname(source())))),
    Example = filename:join([Root, "docs", "book", "src", "systemd", "systemd_notifier.erl"]),
    {ok, systemd_notifier, Code} = compile:file(Example, [binary, warnings_as_errors]),
    {module, systemd_notifier} = code:load_binary(systemd_notifier, Example, Code),
    see:value(without_systemd, systemd_notifier:start_link()),
    {ok, Folder} = file:get_cwd(),
    File = filename:join(Folder, "notify-" ++ os:getpid()),
    see:value(by_a_file, served(File, list_to_binary(File))),
    ok = file:delete(File),
    Name = "ferl-notify-" ++ os:getpid(),
    see:value(by_a_name, served("@" ++ Name, <<0, (list_to_binary(Name))/binary>>)).

source() -> proplists:get_value(source, ?MODULE:module_info(compile)).

served(Name, Path) ->
    {ok, Systemd} = socket:open(local, dgram),
    ok = socket:bind(Systemd, #{family => local, path => Path}),
    os:putenv("NOTIFY_SOCKET", Name),
    os:putenv("WATCHDOG_USEC", "40000"),
    Well = atomics:new(1, []),
    {ok, Pid} = systemd_notifier:start_link(fun() -> atomics:get(Well, 1) =:= 0 end),
    Ready = heard(Systemd),
    Alive = [heard(Systemd) || _ <- [1, 2, 3]],
    %% It is not well: what was said before may still arrive, and then nothing more.
    atomics:put(Well, 1, 1),
    Silent = until_silent(Systemd, 20),
    unlink(Pid),
    Monitor = monitor(process, Pid),
    exit(Pid, shutdown),
    Stopping = heard(Systemd),
    receive {'DOWN', Monitor, process, Pid, shutdown} -> ok end,
    socket:close(Systemd),
    os:unsetenv("NOTIFY_SOCKET"),
    os:unsetenv("WATCHDOG_USEC"),
    {Ready, Alive, Silent, Stopping}.

heard(Systemd) ->
    {ok, Text} = socket:recv(Systemd, 0, 10000),
    Text.

until_silent(_, 0) -> never;
until_silent(Systemd, Left) ->
    case socket:recv(Systemd, 0, 500) of
        {ok, _} -> until_silent(Systemd, Left - 1);
        {error, timeout} -> silent
    end.
