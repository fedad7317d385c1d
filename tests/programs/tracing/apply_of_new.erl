%% A process that is spawned with a fun begins with erlang:apply/2, whose calls can be counted and traced like others;
%% so does apply/3 if it is given that function and a list. Other calls that the language makes do not reach the
%% function.
-module(apply_of_new).
-export([main/0, told/1]).

told(_) -> ok.

main() -> [with(Flags) || Flags <- [[call_count], [call_time], [local], [global]]].

with(Flags) ->
    io:format("~p~n", [Flags]),
    Apply = list_to_atom("apply"),
    Erlang = list_to_atom("erlang"),
    Fun = fun() -> ok end,
    [begin
         [1 = erlang:trace_pattern({erlang, apply, Arity}, true, Flags) || Arity <- [2, 3]],
         Parent = self(),
         erlang:trace(new_processes, true, [call]),
         Spawn(fun() -> Parent ! What() end),
         receive ok -> ok end,
         erlang:trace(new_processes, false, [call]),
         io:format("~p: ~p~n", [Name, seen(Flags)]),
         [1 = erlang:trace_pattern({erlang, apply, Arity}, false, Flags) || Arity <- [2, 3]]
     end || {Name, Spawn, What} <-
                [{by_fun, fun spawn/1, Fun},
                 {linked, fun spawn_link/1, Fun},
                 {by_apply, fun(Body) -> spawn(Erlang, Apply, [Body, []]) end, Fun},
                 {by_name, fun(Body) -> spawn(Erlang, Apply, [erlang, apply, [Body, []]]) end, Fun},
                 {lists, fun spawn/1, fun() -> apply(Erlang, Apply, hd([[Fun, []]])) end},
                 {calls, fun spawn/1, fun() -> Erlang:Apply(?MODULE, told, [1]),
                     apply(Erlang, Apply, [fun told/1, [1]]) end},
                 {funs, fun spawn/1, fun() -> (fun Erlang:Apply/3)(?MODULE, told, [1]), (fun Erlang:Apply/2)(Fun, [])
                     end}]].

seen([Counted]) when Counted =:= call_count; Counted =:= call_time ->
    [count(erlang:trace_info({erlang, apply, Arity}, Counted)) || Arity <- [2, 3]];
seen(_) -> told().

count({call_count, Count}) -> Count;
count({call_time, Times}) -> lists:sum([Count || {_, Count, _, _} <- Times]).

told() ->
    receive {trace, _, call, {Module, Function, Arguments}} -> [{Module, Function, length(Arguments)} | told()]
    after 100 -> []
    end.
