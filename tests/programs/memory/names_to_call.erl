%% Calls of functions that do not exist, by names that are computed: they go to the error handler, and nothing of them
%% stays.
%% timeout: 60
%% differs: stock keeps an export for every name, 80 MB here.
-module(names_to_call).
-export([main/0, undefined_function/3, undefined_lambda/3]).

main() ->
    process_flag(error_handler, ?MODULE),
    Names = [list_to_atom("name" ++ integer_to_list(I)) || I <- lists:seq(1, 400)],
    see:value(calls, [call(Way, m, f, see:id([1])) || Way <- [apply, list, spawn, export]]),
    Before = held(),
    see:value(all, lists:usort([call(Way, M, F, [x]) || Way <- [apply, list], M <- Names, F <- Names])),
    see:value(held, apart:wait(fun() -> erlang:garbage_collect(), case held() - Before of More when More < 12 -> less;
        More -> {more, More} end end, less, 100)),
    see:value(exported, erlang:function_exported(name1, name1, 1)).

call(apply, M, F, [X]) -> M:F(X);
call(list, M, F, A) -> apply(M, F, A);
call(export, M, F, A) -> (fun M:F/2)(hd(A), 3);
call(spawn, M, F, A) ->
    Me = self(),
    {_, Ref} = spawn_monitor(fun() -> process_flag(error_handler, ?MODULE), exit(apply(M, F, [Me | A])) end),
    receive {'DOWN', Ref, process, _, {handled, M, F, N}} -> {handled, N}; {'DOWN', Ref, process, _, R} -> R end.

undefined_function(m, f, A) -> {handled, m, f, length(A)};
undefined_function(M, F, A) ->
    case atom_to_list(M) of
        "name" ++ _ -> {handled, length(A)};
        _ -> error_handler:undefined_function(M, F, A)
    end.
undefined_lambda(_, _, _) -> lambda.

held() ->
    {ok, Status} = file:read_file("/proc/self/status"),
    {match, [Kilobytes]} = re:run(Status, "VmRSS:\\s+(\\d+)", [{capture, all_but_first, list}]),
    list_to_integer(Kilobytes) div 1024.
