%% What programs may do about signals of the system: which they may name, and what comes of those that are handled and
%% ignored.
-module(os_signals).
-export([main/0, init/1, handle_event/2, handle_call/2]).

main() ->
    ok = gen_event:delete_handler(erl_signal_server, erl_signal_handler, []),
    ok = gen_event:add_handler(erl_signal_server, ?MODULE, self()),
    Names = [sighup, sigint, sigquit, sigill, sigtrap, sigabrt, sigbus, sigfpe, sigkill, sigusr1, sigsegv, sigusr2,
        sigpipe, sigalrm, sigterm, sigchld,
             sigcont, sigstop, sigtstp, sigttin, sigttou, sigurg, sigxcpu, sigxfsz, sigwinch, sigio, sigsys, sigunknown,
             'SIGTERM', "sigterm", <<"sigterm">>, 15],
    [see:value({set, S}, [tried(S, A) || A <- [ignore, handle, other, "ignore", 1]]) || S <- Names],
    [begin
         handled(Name, Number),
         ignored(Name, Number),
         handled(Name, Number)
     end || {Name, Number} <- numbers()],
    %% What programs are started with.
    [ok = os:set_signal(Name, ignore) || {Name, _} <- numbers()],
    see:value(ignored_by_programs, set("SigIgn")),
    [ok = os:set_signal(Name, default) || {Name, _} <- numbers()],
    see:value(ignored_by_programs, set("SigIgn")).

numbers() -> [{sighup, 1}, {sigquit, 3}, {sigabrt, 6}, {sigusr1, 10}, {sigusr2, 12}, {sigalrm, 14}, {sigterm, 15},
    {sigchld, 17}, {sigtstp, 20}].

init(Pid) -> {ok, Pid}.
handle_event(Event, Pid) -> Pid ! {signal, Event}, {ok, Pid}.
handle_call(_, State) -> {ok, ok, State}.

tried(Signal, Action) ->
    try os:set_signal(Signal, Action) catch Class:Reason -> {Class, Reason} end.

handled(Name, Number) ->
    ok = os:set_signal(Name, handle),
    [] = kill(Number),
    see:value({handled, Name}, receive {signal, Event} -> Event after 10000 -> none end).

%% One that is handled comes behind it, and alone.
ignored(Name, Number) ->
    ok = os:set_signal(Name, ignore),
    [] = kill(Number),
    {Other, OtherNumber} = case Name of sigusr1 -> {sigusr2, 12}; _ -> {sigusr1, 10} end,
    ok = os:set_signal(Other, handle),
    [] = kill(OtherNumber),
    see:value({ignored, Name}, receive {signal, Event} -> Event after 10000 -> none end).

kill(Number) -> os:cmd("kill -" ++ integer_to_list(Number) ++ " " ++ os:getpid()).

%% Signals 32 and 33 are the C library's.
set(What) ->
    Line = os:cmd("grep " ++ What ++ " /proc/self/status"),
    [_, Bits] = string:lexemes(string:trim(Line), "\t"),
    [N || N <- lists:seq(1, 64) -- [32, 33], list_to_integer(Bits, 16) band (1 bsl (N - 1)) =/= 0].
