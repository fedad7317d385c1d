%% Every way to create a process, and what it inherits.
-module(spawning).
-export([main/0, report/2]).

main() ->
    Me = self(),
    F = fun() -> Me ! {self(), hello} end,
    G = fun(P) -> receive {P, X} -> X after 1000 -> nothing end end,
    see:value(spawn1, G(spawn(F))),
    see:value(spawn3, G(spawn(?MODULE, report, [Me, hi]))),
    see:value(spawn2, G(spawn(node(), F))),
    see:value(spawn4, G(spawn(node(), ?MODULE, report, [Me, far]))),
    see:value(spawn_link, G(spawn_link(F))),
    see:value(spawn_link3, G(spawn_link(?MODULE, report, [Me, linked]))),
    see:value(spawn_monitor1,
        begin {P1, R1} = spawn_monitor(F), {G(P1), receive {'DOWN', R1, process, P1, X1} -> X1 end} end),
    see:value(spawn_monitor3, begin {P2, R2} = spawn_monitor(?MODULE, report, [Me, m]),
        {G(P2), receive {'DOWN', R2, process, P2, X2} -> X2 end} end),
    [see:value({opt, O}, begin P3 = spawn_opt(F, O), G(P3) end) || O <- [[], [link], [{priority, high}],
        [{priority, low}, {min_heap_size, 5000}], [{fullsweep_after, 0}], [{message_queue_data, off_heap}],
    [{max_heap_size, 0}], [{min_bin_vheap_size, 100}]]],
    see:value(opt_monitor, begin {P4, R4} = spawn_opt(F, [monitor]),
        {G(P4), receive {'DOWN', R4, process, P4, X4} -> X4 end} end),
    see:value(opt_monitor_tag, begin {P5, R5} = spawn_opt(F, [{monitor, [{tag, t}]}]),
        {G(P5), receive {t, R5, process, P5, X5} -> X5 end} end),
    see:value(priority, begin P6 = spawn_opt(fun() -> Me ! {self(), process_info(self(), priority)} end,
        [{priority, high}]), G(P6) end),
    GL = group_leader(),
    see:value(group_leader, G(spawn(fun() -> Me ! {self(), group_leader() =:= GL} end))),
    see:value(inherits, G(spawn(fun() ->
        Me ! {self(), [get(), process_info(self(), links), process_info(self(), trap_exit),
        process_info(self(), priority), process_info(self(), registered_name)]} end))),
    see:value(initial_call,
        [G(spawn(fun() -> {_, {M, _, A}} = process_info(self(), initial_call), Me ! {self(), {M, A}} end)),
        G(spawn(?MODULE, report, [Me, x]))]),
    see:value(parent, G(spawn(fun() -> Me ! {self(), process_info(self(), parent) =:= {parent, Me}} end))),
    see:value(distinct, length(lists:usort([spawn(fun() -> ok end) || _ <- lists:seq(1, 1000)]))),
    see:value(request, request([], ok)),
    see:value(request_reply_no, begin R8 = spawn_request(node(), fun() -> Me ! {started, self()} end, [{reply, no}]),
        receive {started, P8} -> {is_reference(R8), is_pid(P8)} end end),
    see:value(request_monitor, begin R9 = spawn_request(fun() -> exit(done) end, [monitor]),
        receive {spawn_reply, R9, ok, P9} -> receive {'DOWN', R9, process, P9, X9} -> X9 end end end),
    see:value(request_tag, begin R10 = spawn_request(fun() -> ok end, [{reply_tag, my_tag}]),
        receive {my_tag, R10, ok, P10} -> is_pid(P10) end end),
    see:value(request_abandon, begin R11 = spawn_request(fun() -> ok end), receive after 10 -> ok end,
        A = spawn_request_abandon(R11), receive {spawn_reply, R11, ok, _} -> {A, replied} after 20 -> {A, none} end
        end),
    see:value(request_bad, begin R12 = spawn_request(node(), ?MODULE, report, [Me, x], [{bad_option, 1}]),
        receive {spawn_reply, R12, error, E12} -> E12 after 1000 -> none end end),
    process_flag(trap_exit, true),
    see:value(undef, begin P13 = spawn_link(?MODULE, no_such_function, []),
        receive {'EXIT', P13, {undef, [{M13, F13, A13, _} | _]}} -> {M13, F13, A13} end end),
    see:value(bad_arity, begin P14 = spawn_link(?MODULE, report, [1]),
        receive {'EXIT', P14, {undef, [{M14, F14, A14, _} | _]}} -> {M14, F14, A14} end end),
    see:fails([fun() -> spawn(see:id(x)) end, fun() -> is_pid(spawn(see:id(fun(_) -> ok end))) end,
        fun() -> spawn(m, f, see:id(x)) end, fun() -> spawn(m, f, see:id([a | b])) end,
    fun() -> spawn(see:id(1), f, []) end,
               fun() -> spawn_opt(F, see:id(x)) end, fun() -> spawn_opt(F, [see:id(bad)]) end,
                   fun() -> spawn_opt(F, [{priority, see:id(urgent)}]) end,
               fun() -> is_pid(spawn_opt(F, [{min_heap_size, see:id(-1)}])) end,
               fun() -> spawn_monitor(see:id(1), f, []) end]).

request(Options, Tag) ->
    Me = self(),
    R = spawn_request(fun() -> Me ! {ran, self()} end, Options),
    receive {spawn_reply, R, Tag, P} -> receive {ran, P} -> ran end end.

report(To, What) -> To ! {self(), What}.
