%% What each release answers to the same questions: options that it takes or refuses, numbers and shapes that it tells.
%% Much of it differs between releases, and nothing between machines.
-module(answers).
-compile(nowarn_deprecated_function).
-export([main/0]).

main() ->
    see:all(terms() ++ identifiers() ++ floats() ++ specifications() ++ of_processes() ++ of_node() ++ tables()
            ++ texts() ++ expressions() ++ requests() ++ sockets() ++ code()).

%% A value, or the reason why there is none.
try_all(Fun, Values) -> [{Value, try Fun(Value) catch _:Reason -> Reason end} || Value <- Values].

terms() ->
    Atoms = ['', a, list_to_atom([229]), list_to_atom([960]), list_to_atom(lists:duplicate(200, 229))],
    Term = [a, 1.5, lists:duplicate(100, $a)],
    [{atoms, fun() -> [term_to_binary(A) || A <- Atoms] end},
     {old_atoms, fun() -> [term_to_binary(A, [{minor_version, 1}]) || A <- Atoms] end},
     {oldest, fun() -> [term_to_binary(T, [{minor_version, 0}]) || T <- [a, 1.5]] end},
     {tags, fun() -> [binary:part(term_to_binary(T), 0, 2) || T <- [self(), make_ref(), fun lists:map/2]] end},
     {read_atoms, fun() -> [binary_to_term(B) || B <- [<<131, 100, 0, 1, 97>>, <<131, 115, 1, 97>>,
         <<131, 100, 0, 1, 229>>]] end},
     {bit_strings, fun() -> try_all(fun erlang:binary_to_term/1, [<<131, 77, 0:32, 0>>, <<131, 77, 0:32, 1>>,
         <<131, 77, 1:32, 0, 1>>, <<131, 77, 1:32, 8, 1>>, <<131, 77, 1:32, 9, 1>>, <<131, 77, 1:32, 3, 255>>]) end},
     {options, fun() -> try_all(fun(O) -> byte_size(term_to_binary(Term, O)) end, [[], [compressed],
         [{compressed, 9}], [{compressed, 10}], [{minor_version, 0}], [{minor_version, 2}], [{minor_version, 3}],
         [deterministic], [local, deterministic], [foo], foo]) end},
     {reading, fun() -> try_all(fun(O) -> binary_to_term(term_to_binary(a), O) end, [[], [safe], [used], [safe, used],
         [foo], foo]) end},
     {hashes, fun() -> [erlang:phash2(T) || T <- [a, [], {}, #{}, <<1:3>>, 0.0, -0.0, 1 bsl 64, -1, "ab", [a | b],
         #{1 => 2, a => b}, fun lists:map/2, lists:seq(1, 300)]] end}].

identifiers() ->
    [{pids, fun() -> try_all(fun list_to_pid/1, ["<0.1.0>", "<0.1.8191>", "<0.268435456.0>", "<0.1.4294967296>"]) end},
     {references, fun() -> try_all(fun list_to_ref/1, ["#Ref<0.1.2.3>", "#Ref<0.1.2>", "#Ref<0.4294967296.2.3>",
         "#Ref<0.1.262144.3>", "#Ref<0.1>", "#Ref<0.1.2.3.4>", "#Ref<0.1.2.3.4.5.6>"]) end},
     {creator, fun() -> [Key || {Key, _} <- erlang:fun_info(fun(X) -> X end)] end}].

floats() ->
    [Zero, Negative] = [see:id(0.0), see:id(-0.0)],
    [{equal, fun() -> [Zero == Negative, Zero =:= Negative, #{Zero => a} =:= #{Negative => a},
         maps:size(#{Zero => 1, Negative => 2}), lists:member(Negative, [Zero]), lists:keyfind(Negative, 1, [{Zero}]),
         erlang:phash2(Zero) =:= erlang:phash2(Negative), {Zero} =:= {Negative}, [Zero] -- [Negative]] end},
     {matched, fun() -> case Negative of +0.0 -> zero; _ -> other end end},
     {tables, fun() -> [begin
          T = ets:new(t, [Type]),
          ets:insert(T, [{Zero, a}, {Negative, b}]),
          {ets:lookup(T, Zero), ets:lookup(T, Negative), ets:match(T, {Zero, '$1'}), ets:info(T, size)}
      end || Type <- [set, ordered_set, bag]] end},
     {texts, fun() -> [float_to_list(F, [short]) || F <- [0.1, 1.0e22, 1.0e23, 123456789012345680.0, 1.0e-5, 0.001,
         5.0e-324, 1.7976931348623157e308, 9007199254740993.0, Negative]] end},
     {formats, fun() -> try_all(fun({F, O}) -> float_to_list(F, O) end, [{1.5, [{scientific, 3}]},
         {1.5, [{scientific, 250}]}, {1.5, [{decimals, 253}]}, {1.5, [{decimals, 254}]},
         {1.0, [{decimals, 5}, compact]}, {0.1, [short, compact]}, {1.5, [foo]}, {1.5, [{scientific, -1}]},
         {123456.0, [{decimals, 0}]}]) end}].

specifications() ->
    Guards = [{is_bitstring, <<1:3>>}, {is_boolean, true}, {ceil, 1.5}, {floor, 1.5}, {tuple_size, {1}},
        {is_function, fun lists:map/2}, {is_map, #{}}, {bogus, 1}],
    Bodies = [{ceil, 1.5}, {floor, -1.5}, {tuple_size, {1}}, {tuple_size, a}, {bit_size, <<1:3>>}, {byte_size, <<1:3>>},
        {abs, -1}, {float, 2}, {length, [1]}, {hd, [1]}],
    Two = [{is_function, fun lists:map/2}, {max, 1}, {min, 1}, {map_get, #{}}, {is_record, {a, b}}, {element, 2}],
    Keys = fun(Type) ->
        T = ets:new(t, [Type]),
        ets:insert(T, [{#{a => 1}, x}, {{#{a => 1, c => 2}}, y}]),
        {ets:match(T, {#{a => 1}, '$1'}), length(ets:match_object(T, {{#{a => 1}}, '_'})),
            ets:match_delete(T, {#{a => '_'}, '_'}), ets:info(T, size)}
    end,
    [{guards, fun() -> [ets:test_ms({X}, [{{'$1'}, [{F, '$1'}], [true]}]) || {F, X} <- Guards] end},
     {bodies, fun() -> [ets:test_ms({X}, [{{'$1'}, [], [{F, '$1'}]}]) || {F, X} <- Bodies] end},
     {two, fun() -> [ets:test_ms({X}, [{{'$1'}, [], [{F, '$1', 2}]}]) || {F, X} <- Two] end},
     {keys, fun() -> [Keys(Type) || Type <- [set, ordered_set, bag, duplicate_bag]] end}].

of_processes() ->
    Ended = fun(Options) ->
        case spawn_opt(fun() -> ok end, Options) of
            {Pid, Monitor} when is_pid(Pid), is_reference(Monitor) -> pair;
            Pid when is_pid(Pid) -> pid
        end
    end,
    Self = self(),
    [{flags, fun() -> try_all(fun({F, V}) -> process_flag(F, V) end, [{async_dist, a}, {error_handler, 1},
         {fullsweep_after, -1}, {max_heap_size, -1}, {max_heap_size, #{}}, {max_heap_size, #{size => a}},
         {message_queue_data, mixed}, {min_bin_vheap_size, -1}, {priority, foo}, {save_calls, 10001}, {save_calls, -1},
         {sensitive, a}, {trap_exit, a}, {monitor_nodes, a}, {scheduler, a}, {bogus, a}]) end},
     {spawning, fun() -> try_all(Ended, [[{fullsweep_after, a}], [{min_heap_size, -1}], [{min_bin_vheap_size, 1}],
         [{max_heap_size, -1}], [{message_queue_data, foo}], [{priority, foo}], [{scheduler, a}],
         [{monitor, [{alias, foo}]}], [{monitor, [{alias, demonitor}]}], [{monitor, [{tag, x}]}], [link, link],
         [monitor, monitor], [{link, []}], [{link, [priority]}], [{monitor, [priority]}], [{async_dist, true}],
         [{async_dist, 1}], [{label, x}]]) end},
     {monitoring, fun() -> try_all(fun(O) -> demonitor(erlang:monitor(process, Self, O)) end, [[], [{alias, foo}],
         [{alias, demonitor}], [{tag, a}], [{tag, a}, {tag, b}], foo, [priority], [{alias, reply_demonitor}, priority],
         [foo]]) end},
     {aliases, fun() -> try_all(fun(O) -> unalias(erlang:alias(O)) end, [[], [explicit_unalias], [reply], [priority],
         [foo], [reply, priority], foo]) end},
     {sending, fun() -> try_all(fun(O) -> erlang:send(spawn(fun() -> ok end), x, O) end, [[], [nosuspend], [noconnect],
         [priority], [foo], foo]) end},
     {exits, fun() -> try_all(fun(O) -> exit3(spawn(fun() -> ok end), O) end, [[], [priority], [foo], foo]) end},
     {items, fun() -> [{I, try element(1, process_info(Self, I)) catch _:R -> R end} || I <- [async_dist, label, parent,
         priority_messages, {dictionary, a}, [{dictionary, a}], foo]] end}].

exit3(Pid, Options) -> apply(erlang, see:id(exit), [Pid, kill, Options]).

of_node() ->
    Shape = fun(V) ->
        if
            is_integer(V), V > 2_000_000 -> large;
            is_list(V), length(V) > 15 -> long;
            true -> V
        end
    end,
    [{information, fun() -> try_all(fun(I) -> Shape(erlang:system_info(I)) end, [atom_limit, compat_rel,
         debug_compiled, driver_version, dynamic_trace, dynamic_trace_probes, eager_check_io, elib_malloc, ets_limit,
         fullsweep_after, halt_flush_timeout, heap_type, max_integer, message_queue_data, min_bin_vheap_size,
         min_integer, modified_timing_level, nif_version, otp_release, outstanding_system_requests_limit,
         port_parallelism, process_limit, sequential_tracer, start_time, time_warp_mode, time_correction,
         tolerant_timeofday, trace_control_word, wordsize, {wordsize, internal}, {cpu_topology, foo},
         {garbage_collection, x}, {allocator, foo}, {memory, x}]) end},
     {flags, fun() -> try_all(fun({F, V}) -> erlang:system_flag(F, V) end, [{backtrace_depth, -1},
         {dirty_cpu_schedulers_online, 0}, {fullsweep_after, -1}, {microstate_accounting, foo}, {min_heap_size, -1},
         {max_heap_size, -1}, {multi_scheduling, foo}, {schedulers_online, 0}, {system_logger, foo},
         {trace_control_word, -1}, {time_offset, foo}, {erts_alloc, foo}, {bogus, 1}]) end},
     {monitored, fun() -> try_all(fun(O) ->
          erlang:system_monitor(self(), [O]),
          {_, Set} = erlang:system_monitor(),
          erlang:system_monitor(undefined),
          Set
      end, [{long_message_queue, {1, 2}}, {long_message_queue, {2, 1}}, {long_message_queue, {0, 1}},
          {long_message_queue, {-1, 1}}, {long_message_queue, 5}, {long_gc, 1}, {large_heap, 1000000}, busy_port,
          {long_schedule, 10}]) end},
     {memory, fun() -> try_all(fun(K) -> is_list(erlang:memory(K)) end, [[total], [], [total, foo], foo]) end},
     {halting, fun() -> try_all(fun({A, O}) -> erlang:halt(A, O) end, [{-1, []}, {a, []}, {1, [a]}, {1, [{flush, a}]},
         {1, [{flush_timeout, a}]}, {1, [{flush_timeout, -1}]}, {1, a}]) end},
     {signals, fun() -> try_all(fun(S) -> os:set_signal(S, ignore), os:set_signal(S, default) end, [sigabrt, sigalrm,
         sigchld, sigcont, sigwinch, sigquit, sigstop, sigtstp, sigttin, sigusr2, siginfo, bogus]) end},
     {clocks, fun() -> [[K || {K, _} <- erlang:system_info(S)]
         || S <- [os_monotonic_time_source, os_system_time_source]] end},
     %% Of a process that controls no connection.
     {controllers, fun() -> try_all(fun({F, A}) -> apply(erlang, F, A) end, [{dist_ctrl_get_opt, [foo, get_size]},
         {dist_ctrl_get_opt, [foo, foo]}, {dist_ctrl_set_opt, [foo, get_size, true]}, {dist_ctrl_get_data, [foo]},
         {dist_ctrl_put_data, [foo, <<>>]}, {dist_ctrl_get_data_notification, [foo]}, {dist_get_stat, [foo]}]) end},
     {mandatory, fun() -> element(3, erts_internal:get_dflags()) end}].

tables() ->
    Heir = fun
               ({heir, self}) -> {heir, self()};
               ({heir, self, Data}) -> {heir, self(), Data};
               (Option) -> Option
           end,
    [{options, fun() -> try_all(fun(O) -> ets:delete(ets:new(t, [Heir(O)])) end, [{decentralized_counters, true},
         {write_concurrency, auto}, {read_concurrency, 1}, {heir, none}, {heir, self, a}, {heir, self}, {heir, a},
         compressed, {keypos, 0}, {decentralized_counters, a}]) end},
     {memory, fun() -> [ets:info(ets:new(t, O), memory) || O <- [[set], [ordered_set], [bag], [duplicate_bag],
         [set, {write_concurrency, true}], [ordered_set, {write_concurrency, true}]]] end},
     {items, fun() -> T = ets:new(t, []), try_all(fun(I) -> ets:info(T, I) end, [compressed, decentralized_counters,
         heir, keypos, name, named_table, protection, safe_fixed, safe_fixed_monotonic_time, size, type,
         write_concurrency, read_concurrency, fixed, binary, bogus]) end},
     {operations, fun() ->
          T = ets:new(t, [ordered_set]),
          ets:insert(T, [{X, X} || X <- lists:seq(1, 5)]),
          Calls = [{select_replace, [[{{'$1', '$2'}, [], [{{'$1', x}}]}]]}, {take, [1]}, {lookup_element, [9, 2, d]},
              {select_reverse, [[{{'$1', '_'}, [], ['$1']}]]}, {update_counter, [2, {2, 1}]},
              {update_element, [2, {2, y}, {1}]}, {update_element, [22, {2, y}, {a, b}]}, {first_lookup, []},
              {next_lookup, [2]}, {last_lookup, []}, {prev_lookup, [2]}],
          [{F, try apply(ets, F, [T | A]) catch _:R -> R end} || {F, A} <- Calls]
      end}].

texts() ->
    [{unicode, fun() -> [unicode:characters_to_list(<<255>>), unicode:characters_to_binary([1114112]),
         unicode:characters_to_list(<<16#f0, 16#9f>>), unicode:characters_to_binary([16#d800])] end},
     {integers, fun() -> try_all(fun binary_to_integer/1, [<<"+1">>, <<"+ 1">>, <<"-">>, <<"-0">>, <<>>]) end},
     {long_atoms, fun() -> try_all(fun(N) -> byte_size(atom_to_binary(list_to_atom(lists:duplicate(N, 128512)))) end,
         [255, 256]) end}].

expressions() ->
    Faults = ["(", ")", "[", "*", "a{2,1}", "(?<", "(?<1>a)", "\\", "(?P=x)", "[z-a]", "(?(1)a|b|c)", "[[:foo:]]",
        "\\g", "(?#", "(?R", "\\x{110000}", "(*FOO)a", "\\1", "(?<n>a)(?<n>b)", "(?C256)", "\\p{L", "(?1)", "\\N{x}"],
    Runs = [{"a\x{e9}", "\\w+", []}, {[233], "\\w", []}, {[233], "[[:alpha:]]", []}, {[201], [233], [caseless]},
        {"abc", "(?<n>b)", [{capture, all_names, list}]}, {"a", "a", [bsr_unicode]}, {"a", "a", [{newline, cr}]},
        {"a", "a", [{newline, nul}]}, {"aaaaaaaaaaaab", "(a+)*c", [report_errors, {match_limit, 10}]},
        {"\x{2028}", "\\R", [unicode]}, {"a", "\\C", []}, {"abc", "(?|(a)|(b))c", []},
        {"abc", "b", [notempty_atstart, {capture, [1, 2]}]}, {"\x{400}", "\x{430}", [unicode, caseless]}],
    [{faults, fun() -> [re:compile(P) || P <- Faults] end},
     {runs, fun() -> try_all(fun({S, P, O}) -> re:run(S, P, O) end, Runs) end}].

requests() ->
    [{lines, fun() -> try_all(fun({T, L}) -> erlang:decode_packet(T, L, []) end, [
         {http, <<"GET http://[::1]:80/a HTTP/1.1\r\n">>}, {http, <<"GET http://[::1 HTTP/1.1\r\n">>},
         {http, <<"GET https://h:1/a HTTP/1.1\r\n">>}, {httph, <<"Host: x\r\n\r\n">>},
         {httph_bin, <<"sec-websocket-key: x\r\n\r\n">>}, {httph, <<"Upgrade-Insecure-Requests: 1\r\n\r\n">>}]) end}].

sockets() ->
    [{listening, fun() ->
          {ok, L} = gen_tcp:listen(0, [{nodelay, true}, {linger, {true, 1}}, {send_timeout, 5}, {packet, 2}]),
          try_all(fun(O) -> inet:getopts(L, [O]) end, [nodelay, linger, send_timeout, high_watermark, low_watermark,
              packet, active, mode, backlog, delay_send, exit_on_close, header, packet_size, show_econnreset, recvtos,
              reuseaddr, reuseport, reuseport_lb, exclusiveaddruse, read_ahead, buffer, bind_to_device])
      end},
     {datagrams, fun() ->
          {ok, S} = gen_udp:open(0),
          try_all(fun(O) -> inet:getopts(S, [O]) end, [broadcast, multicast_ttl, multicast_loop, read_packets, buffer,
              recvttl, recvtos, recvtclass, mode, active])
      end},
     {known, fun() -> try_all(fun socket:is_supported/1, [protocols, ipv6, local, msg_flags, foo]) end}].

code() ->
    [{coverage, fun() -> apply(code, see:id(coverage_support), []) end},
     {features, fun() -> erl_features:enabled() end},
     {ports, fun() -> try_all(fun(N) -> open_port(N, []) end, [{spawn_executable, "/bin/nonexistent"}, {spawn, ""},
         {bogus, "x"}]) end}].
