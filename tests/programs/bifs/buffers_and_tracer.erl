%% The functions of prim_buffer and erl_tracer, called directly.
-module(buffers_and_tracer).
-export([main/0]).

main() ->
    buffers(),
    tracer().

buffers() ->
    B = prim_buffer:new(),
    Long = binary:copy(<<"0123456789">>, 500),
    <<_:4, Odd:24/bits, _/bits>> = <<16#12345678:32>>,
    see:all([{"empty", fun() -> [prim_buffer:size(B), prim_buffer:read(B, 0), prim_buffer:find_byte_index(B, $a)] end},
             {"small", fun() -> [prim_buffer:write(B, [<<"ab">>, <<>>, <<"c">>]), prim_buffer:size(B),
                 prim_buffer:read(B, 2), prim_buffer:size(B)] end},
             {"unaligned", fun() -> [prim_buffer:write(B, [Odd]), prim_buffer:read(B, 4)] end},
             {"large", fun() -> [prim_buffer:write(B, [Long, <<"end\n">>]), prim_buffer:size(B),
                 prim_buffer:find_byte_index(B, $\n)] end},
             {"read", fun() -> [prim_buffer:read(B, 10), prim_buffer:read(B, 100), byte_size(prim_buffer:read(B, 3000)),
                 prim_buffer:size(B)] end},
             {"iovec", fun() -> [byte_size(X) || X <- prim_buffer:read_iovec(B, 1892)] end},
             {"skip", fun() -> [prim_buffer:skip(B, 1), prim_buffer:read(B, 1), prim_buffer:wipe(B),
                 prim_buffer:size(B)] end},
             {"many", fun() ->
                              ok = prim_buffer:write(B, [<<N>> || N <- lists:seq(0, 255), _ <- lists:seq(1, 20)]),
                              [prim_buffer:size(B), prim_buffer:find_byte_index(B, 200),
                                  erlang:md5(prim_buffer:read(B, 5120))]
                      end},
             {"locks", fun() -> [prim_buffer:try_lock(B), prim_buffer:try_lock(B), prim_buffer:unlock(B),
                 prim_buffer:try_lock(B), prim_buffer:unlock(B)] end}]),
    Failures = [fun() -> prim_buffer:read(B, 1) end, fun() -> prim_buffer:skip(B, 1) end,
        fun() -> prim_buffer:skip(B, -1) end,
                fun() -> prim_buffer:write(B, [a]) end, fun() -> prim_buffer:write(B, <<"x">>) end,
                fun() -> prim_buffer:find_byte_index(B, 256) end, fun() -> prim_buffer:find_byte_index(B, a) end,
                fun() -> prim_buffer:unlock(B) end, fun() -> prim_buffer:size(make_ref()) end,
                    fun() -> prim_buffer:size(a) end],
    see:value("failures", [try F() catch Class:Reason -> {Class, Reason} end || F <- Failures]).

tracer() ->
    {Dead, Monitor} = spawn_monitor(fun() -> ok end),
    receive {'DOWN', Monitor, process, Dead, _} -> ok end,
    Self = self(),
    Other = spawn(fun() -> receive stop -> ok end end),
    see:value("enabled", [erl_tracer:enabled(Tag, Tracer, Tracee)
                          || Tag <- [trace_status, call, seq_trace], Tracer <- [Self, Dead, a, []],
                          Tracee <- [Self, Other]]),
    Trace = fun(Tag, Options) ->
                    ok = erl_tracer:trace(Tag, Self, tracee, message, Options),
                    receive Event -> without_time(Event) end
            end,
    see:value("trace", [Trace(Tag, Options)
                        || Tag <- [call, seq_trace],
                           Options <- [#{}, #{extra => more}, #{match_spec_result => result, scheduler_id => 7},
                               #{timestamp => monotonic},
                                       #{timestamp => strict_monotonic}, #{timestamp => timestamp},
                                       #{timestamp => cpu_timestamp}]]),
    Other ! stop.

without_time(Event) when element(1, Event) =:= trace_ts; element(1, Event) =:= seq_trace, tuple_size(Event) > 3 ->
    setelement(tuple_size(Event), Event, kind(element(tuple_size(Event), Event)));
without_time(Event) ->
    Event.

kind({A, B, C}) when is_integer(A), is_integer(B), is_integer(C) -> three;
kind({A, B}) when is_integer(A), is_integer(B) -> two;
kind(A) when is_integer(A) -> one;
kind(A) -> A.
