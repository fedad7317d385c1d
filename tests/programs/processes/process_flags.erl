%% process_flag/2: old values returned, and their effects.
-module(process_flags).
-export([main/0, undefined_function/3]).

main() ->
    see:value(trap_exit, [process_flag(trap_exit, true), process_flag(trap_exit, false)]),
    see:value(error_handler, [process_flag(error_handler, my_handler), process_flag(error_handler, error_handler)]),
    see:value(priority, [process_flag(priority, high), process_flag(priority, normal)]),
    see:value(min_heap, begin Old = process_flag(min_heap_size, 4000), New = process_flag(min_heap_size, Old),
        {is_integer(Old), New >= 4000} end),
    see:value(message_queue_data, [process_flag(message_queue_data, off_heap),
        process_flag(message_queue_data, on_heap)]),
    see:value(sensitive, [process_flag(sensitive, true), process_flag(sensitive, false)]),
    see:value(max_heap, begin M = process_flag(max_heap_size, 0), lists:sort(maps:keys(M)) end),
    see:value(fullsweep, begin F = process_flag(fullsweep_after, 5), process_flag(fullsweep_after, F) end),
    see:value(max_heap_kills, too_big(#{size => 10000, kill => true, error_logger => false})),
    see:value(handler_used, handled()),
    see:fails([fun() -> process_flag(trap_exit, see:id(1)) end, fun() -> process_flag(see:id(nothing), 1) end,
        fun() -> process_flag(max_heap_size, see:id(-1)) end, fun() -> process_flag(fullsweep_after, see:id(x)) end,
    fun() -> process_flag(message_queue_data, x) end]).

too_big(Limit) ->
    {P, R} = spawn_opt(fun() -> exit({survived, length(grow([]))}) end, [monitor, {max_heap_size, Limit}]),
    receive {'DOWN', R, process, P, X} -> X end.
grow(L) when length(L) > 100000 -> L;
grow(L) -> grow([L | lists:duplicate(100, x)] ++ L).

handled() ->
    Me = self(),
    spawn(fun() -> process_flag(error_handler, ?MODULE), Me ! {r, catch no_such_module_here:f(1),
        catch ?MODULE:nothing(a, b)} end),
    receive {r, A, B} -> {A, B} end.

undefined_function(M, F, As) -> {handled, M, F, As}.
