%% Functions, options and shapes that came with OTP 28 and 29.
%% releases: 29
-module(asked_29).
-compile(nowarn_obsolete_guard).
-export([main/0]).

main() ->
    of_processes(),
    aliases(),
    priorities(),
    waiting(),
    patterns(),
    terms(),
    debugger(),
    system_monitor(),
    sockets(),
    terminal().

of_processes() ->
    Walk = fun Walk(Iterator, Pids) -> case erlang:processes_next(Iterator) of {Pid, Next} -> Walk(Next, [Pid | Pids]);
        none -> Pids end end,
    Found = Walk(erlang:processes_iterator(), []),
    see:value(walked, {lists:member(self(), Found), length(Found) =:= length(lists:usort(Found)),
        processes() -- Found}),
    see:all([{{next, X}, fun() -> erts_internal:processes_next(X) end} || X <- [a, -1, 1 bsl 70, 1.0, {}]]),
    Limit = erlang:system_info(process_limit),
    see:all([{{next, after_limit, X}, fun() -> erts_internal:processes_next(Limit + X) end} || X <- [0, 1, 2]]),
    see:all([{{link, O}, fun() -> link(self(), O) end} || O <- [[], [priority], [priority, priority], [other], priority,
        [priority | x]]]),
    see:all([{{link, T}, fun() -> link(see:id(T), []) end} || T <- [a, 1, {}]]),
    Exits = fun(How) ->
        {Pid, Ref} = spawn_monitor(fun() -> How(), exit(alive) end),
        receive {'DOWN', Ref, process, Pid, Reason} -> Reason end
    end,
    see:value(exits, [Exits(fun() -> erlang:exit(self(), R, O) end) || R <- [normal, reason, kill],
        O <- [[], [priority]]]),
    see:value(exits, [Exits(fun() -> erlang:exit_signal(self(), R, O) end) || R <- [normal, reason],
        O <- [[], [priority]]]),
    see:all([{{exit, T, O}, fun() -> erlang:exit(see:id(T), normal, O) end} || T <- [a, 1], O <- [[], [other], x]]),
    see:all([{{exit_signal, T, O}, fun() -> erlang:exit_signal(see:id(T), normal, O) end} || T <- [a, 1],
        O <- [[], [other], x]]).

%% Exit signals through aliases: they do not end an alias.
aliases() ->
    Self = self(),
    Through = fun(Trap, Make, Reason) ->
        {Pid, Ref} = spawn_monitor(fun() ->
            process_flag(trap_exit, Trap),
            Alias = Make(),
            Self ! {alias, Alias},
            receive {'EXIT', From, Why} -> exit({From =:= Self, Why, unalias(Alias)}); over -> exit(over) end
        end),
        Alias = receive {alias, A} -> A end,
        true = exit(Alias, Reason),
        Pid ! over,
        receive {'DOWN', Ref, process, Pid, End} -> End end
    end,
    Waits = fun() -> spawn_link(fun() -> receive stop -> ok end end) end,
    see:value(aliases, [{Trap, Name, Reason, Through(Trap, Make, Reason)}
                        || Trap <- [true, false],
                           {Name, Make} <- [{plain, fun() -> alias() end}, {reply, fun() -> alias([reply]) end},
                               {over, fun() -> A = alias(), unalias(A), A end},
                                            {monitor, fun() -> monitor(process, Waits(), [{alias, explicit_unalias}])
                                                end}, {none, fun() -> make_ref() end}],
                           Reason <- [normal, reason, kill]]).

%% Options that give signals priority, for processes that have not asked for that.
priorities() ->
    Ends = fun(F) -> {Pid, Ref} = spawn_opt(F, [monitor]), receive {'DOWN', Ref, process, Pid, Reason} -> Reason end
        end,
    see:value(monitors, begin P = spawn(fun() -> receive go -> exit(gone) end end),
        M = monitor(process, P, [priority, {tag, down}]), P ! go,
                              receive {down, M, process, P, Why} -> Why end end),
    see:value(links, [Ends(fun() -> process_flag(trap_exit, true), Q = spawn_opt(fun() -> exit(linked) end,
        [{link, O}]),
                                    receive {'EXIT', Q, R} -> exit(R) end end) || O <- [[], [priority]]]),
    see:all([{{spawn_opt, O}, fun() -> is_pid(spawn_opt(fun() -> ok end, [O])) end} || O <- [{link, [other]}, {link, x},
        {link, [priority | x]}]]),
    Alias = alias([priority]),
    see:value(sent, begin erlang:send(Alias, one, [priority]), Alias ! two, [receive X -> X end || _ <- [1, 2]] end),
    see:all([{{alias, O}, fun() -> is_reference(alias(O)) end} || O <- [[priority, reply], [other], [priority | x]]]),
    see:all([{{trace_info, I}, fun() -> erlang:trace_info({lists, map, 2}, I) end} || I <- [meta, traced, other]]).

waiting() ->
    Self = self(),
    Pid = spawn_link(fun() ->
        Kept = [see:id(1), {two, <<"three">>}],
        ok = erlang:hibernate(),
        receive first -> Self ! {first, Kept} end,
        ok = erlang:hibernate(),
        receive second -> Self ! {second, Kept} end,
        self() ! third,
        ok = erlang:hibernate(),
        receive third -> Self ! {third, Kept} end
    end),
    apart:wait(fun() -> process_info(Pid, status) end, {status, waiting}, 400),
    Pid ! first,
    see:value(first, receive {first, K1} -> K1 end),
    Pid ! second,
    see:value(others, [receive {N, K} -> K end || N <- [second, third]]).

terms() ->
    Key = {?MODULE, key},
    see:all([{{put_new, V}, fun() -> persistent_term:put_new(Key, V) end} || V <- [1, 1, 2, 1.0]]),
    persistent_term:erase(Key),
    see:value(put_new, {persistent_term:put_new(Key, 2), persistent_term:get(Key)}),
    see:all([{{moved, B, N}, fun() -> erts_debug:unaligned_bitstring(B, N) end}
             || B <- [<<>>, <<1, 2, 3>>, <<5:3>>, <<1, 2, 3:7>>, binary:copy(<<7>>, 100), a],
             N <- [1, 4, 7, 0, 8, -1, a]]),
    see:value(between, [is_integer(X, 1, 3) || X <- [0, 1, 2, 3, 4, 1.0, a, 1 bsl 70]]),
    see:all([{{between, A, B}, fun() -> is_integer(see:id(2), see:id(A), see:id(B)) end} || A <- [3, 1 bsl 70, 1.0, a],
        B <- [1, 3, -(1 bsl 70), a]]),
    see:value(record, [is_record(see:id(X), a, a) || X <- [{a}, {a, a}, a, 1]]).

%% Patterns are references, or are exported; PCRE2 says what they mean.
patterns() ->
    {ok, {re_pattern, 1, 0, 0, Held} = Pattern} = re:compile("(b)"),
    see:value(held, {is_reference(Held), re:run("abc", Pattern),
        re:replace("abcb", Pattern, "[&]", [global, {return, list}]), re:inspect(Pattern, namelist)}),
    {ok, {re_exported_pattern, Head, Text, Options, Code} = Exported} = re:compile("b+", [caseless, export]),
    see:value(exported, {is_binary(Head), Text, Options, is_binary(Code), re:run("aBb", re:import(Exported)),
                         re:run("aBb", re:import(binary_to_term(term_to_binary(Exported))), [{capture, all, list}])}),
    see:all([{{import, X}, fun() -> re:import(X) end} || X <- [a, {}, {re_exported_pattern, a, <<>>, [], <<>>}]]),
    see:all([{{run, O}, fun() -> re:run("a\nb", Pattern, O) end} || O <- [[{newline, cr}], [{newline, lf}],
        [bsr_unicode], [bsr_anycrlf], [notbol], [caseless]]]),
    see:value(zero, re:run("a\0b", "\0b")),
    see:value(version, re:version()),
    see:value(classes, [re:run([16#e5], P, O) || P <- ["\\w", "[[:alpha:]]"], O <- [[], [unicode], [unicode, ucp]]]),
    see:all([{{compile, P}, fun() -> re:compile(P) end} || P <- ["(", ")", "[", "a{2,1}", "*", "\\", "[\\d-z]",
        "(?<a>)(?<a>)", "\\x{", "(?z)", "\\x{2", "\\x{z", "\\o{7", "\\o{9}", "\\o", "\\oa", "\\u{61}", "\\N{a}"]]),
    % Behind 64 bits integers become the nearest float.
    see:value(floats, [float(N) || N <- [1 bsl 100 + 1, (1 bsl 70) - 1, -(1 bsl 1023), (1 bsl 117) bor (1 bsl 64) bor 1,
        (1 bsl 118) + (1 bsl 65) + 1]]),
    T = ets:new(t, [{keypos, 2}]),
    ets:insert(T, {1, k}),
    see:all([{{default, D}, fun() -> ets:update_counter(T, k, {1, 1}, D) end} || D <- [{1}, {}, {0, 0}]]),
    see:value(records, [is_record(see:id(X)) || X <- [{a}, a, #{}]]).

debugger() ->
    see:value(supported, erl_debugger:supported()),
    see:all([{N, fun() -> apply(erl_debugger, N, A) end}
             || {N, A} <- [{instrumentations, []}, {toggle_instrumentations, [#{}]}, {register, [self]},
                 {unregister, [a, 1]}, {whereis, []},
                           {breakpoint, [lists, 3, true]}, {breakpoints, [lists]}, {breakpoints, [lists, map, 2]},
                           {stack_frames, [a, 10]},
                           {peek_stack_frame_slot, [a, 1, 2, 3]}, {xregs_count, [a]}, {peek_xreg, [a, 0, 10]}]]),
    see:all([{{information, M}, fun() -> code:get_debug_info(M) end} || M <- [lists, ?MODULE, no_such_module, 1]]),
    %% Compiled for debuggers, but loaded without what they need.
    Forms = [{attribute, {1, 1}, module, compiled_for}, {attribute, {2, 1}, export, [{f, 1}]},
             {function, {3, 1}, f, 1,
                 [{clause, {3, 1}, [{var, {3, 3}, 'X'}], [], [{tuple, {4, 1}, [{var, {4, 2}, 'X'}]}]}]}],
    {ok, compiled_for, Beam} = compile:forms(Forms, [beam_debug_info]),
    {module, _} = code:load_binary(compiled_for, "compiled_for", Beam),
    see:value(compiled_for, {code:get_debug_info(compiled_for), compiled_for:f(1)}),
    {ok, {_, MD5}} = beam_lib:md5(Beam),
    see:value(checksum, [code:module_md5(Beam) =:= MD5, compiled_for:module_info(md5) =:= MD5, MD5]).

system_monitor() ->
    Self = self(),
    Known = fun({Pid, Options}) when Pid =:= Self -> {self, Options}; (Other) -> Other end,
    see:value(monitor, [Known(M) || M <- [erlang:system_monitor(),
        erlang:system_monitor(Self, [busy_port, {long_gc, 100}]),
                                          erts_internal:system_monitor(legacy), erlang:system_monitor(undefined),
                                          erlang:system_monitor()]]),
    see:all([{{monitor, X}, fun() -> erlang:system_monitor(X) end} || X <- [a, {a, []}, {a, [busy_port]}, {}]]),
    see:all([{{session, X}, fun() -> erts_internal:system_monitor(X) end} || X <- [other, 1]]).

sockets() ->
    {ok, S} = socket:open(inet, stream, tcp),
    {ok, U} = socket:open(inet, dgram, udp),
    see:value(supports, [socket:is_supported(options, O) || O <- [{tcp, user_timeout}, {tcp, keepcnt},
        {socket, timestampns}, {socket, maxdg},
                                                                    {sctp, adaptation_layer}, {sctp, adaption_layer},
                                                                    {ip, tos}]]),
    see:value(flags, [socket:is_supported(msg_flags, F) || F <- [notification, peek, none]]),
    see:all([{{tos, V}, fun() -> {socket:setopt(U, {ip, tos}, V),
        [{K, X} || K <- [native, dscp, tos], {ok, #{K := X}} <- [socket:getopt(U, {ip, tos})]]} end}
             || V <- [0, 4, 6, 30, 32, 34, 184, 255, lowdelay, mincost, cs3, ef, af22, other]]),
    see:all([{{get, O}, fun() -> socket:getopt(S, O) end} || O <- [{tcp, user_timeout}, {socket, timestampns},
        {otp, select_read}]]),
    see:all([{{native, O, V}, fun() -> socket:getopt_native(S, O, V) end} || O <- [{socket, type}, {tcp, nodelay}],
        V <- [integer, boolean, <<0:32>>, a]]),
    see:all([{{ioctl, R}, fun() -> socket:ioctl(S, R) end} || R <- [nread, atmark, other]]),
    see:value(associations, [socket:bind(S, [#{family => inet, addr => {127, 0, 0, 1}, port => 0}], add),
        socket:socknames(S, 1), socket:peernames(S, 1)]),
    {ok, L} = gen_tcp:listen(0, [{ip, {127, 0, 0, 1}}, {reuseport, true}, {keepcnt, 5}, {keepidle, 30}, {keepintvl, 7},
        {user_timeout, 1000}]),
    see:value(listener, inet:getopts(L, [reuseport, keepcnt, keepidle, keepintvl, user_timeout, buffer])),
    {ok, Port} = inet:port(L),
    {ok, C} = gen_tcp:connect({127, 0, 0, 1}, Port, [{active, false}]),
    {ok, A} = gen_tcp:accept(L),
    ok = gen_tcp:send(A, "through"),
    see:value(received, gen_tcp:recv(C, 7, 5000)).

%% Texts with parameters do not depend on the type of the terminal.
terminal() ->
    see:value(texts, [prim_tty:tputs(Text, Parameters) || {Text, Parameters} <- [
        {"\e[%i%p1%d;%p2%dH", [3, 4]}, {"abc", []}, {"%p1%d$<5>z", [5]}, {"%p1%02x|%p1%:-5d|%p1%3.3d", [9]},
        {"%p1%d", []},
        {"%?%p1%{8}%<%t3%p1%d%e%p1%{16}%<%t9%p1%{8}%-%d%e38;5;%p1%d%;m", [9]},
        {"%?%p1%{8}%<%t3%p1%d%e%p1%{16}%<%t9%p1%{8}%-%d%e38;5;%p1%d%;m", [200]},
        {"%p1%Pa%ga%ga%*%d", [7]}, {"%'A'%c%%", []}]]),
    see:all([{{text, P}, fun() -> prim_tty:tputs("%p1%d", P) end} || P <- [a, [a], [<<>>]]]),
    #{bool := Flags, num := Numbers, str := Strings} = prim_tty:tinfo(),
    see:value(names, {[length(L) || L <- [Flags, Numbers, Strings]],
        [[lists:sort(maps:to_list(hd(L))), lists:sort(maps:to_list(lists:last(L)))]
        || L <- [Flags, Numbers, Strings]]}).
