%% binary_to_term(Bytes, [safe]) accepts `fun M:F/A` of functions that loaded code has, calls or refers to, and of no
%% others: one that was once decoded without `safe`, made by name or called by name is as unknown as before.
%% Stock accepts these as well once any module was loaded after them, so nothing may be loaded here in between.
%% Three more of stock's answers are not ferl's, on purpose: a reference of no words (stock reads a number that is not
%% there), the tags 73 and 75 (numbers in stock's table of atoms, which only it can know), and pids of this node with an
%% index above 32,767 on OTP 25, which ferl's own pids have.
%% releases: 25 27 29
-module(safe_functions).
-export([main/0, calls/0, refers/0]).

main() ->
    see:value(ready, lists:map(fun(X) -> X end, [1])),
    Decoded = binary_to_term(bytes("map", 77)),
    Map = see:id(map),
    Made = [fun lists:Map/66, erlang:make_fun(lists, Map, 55)],
    Called = try apply(lists, Map, see:id([1, 2, 3, 4, 5])) catch error:Error -> Error end,
    Exported = erlang:function_exported(lists, Map, 43),
    Seen = [{Name, Arity, safe(Name, Arity)} || {Name, Arity} <- [{"map", 77}, {"map", 66}, {"map", 55}, {"map", 5},
        {"map", 43}, {"map", 2}, {"called_only", 3}, {"referred_only", 4}, {"keyfind", 3}]],
    see:value(seen, Seen),
    see:value(others, {Decoded, Made, Called, Exported}).

calls() -> lists:called_only(1, 2, 3).

refers() -> fun lists:referred_only/4.

safe(Name, Arity) -> try binary_to_term(bytes(Name, Arity), [safe]) catch error:Reason -> Reason end.

bytes(Name, Arity) -> <<131, 113, 119, 5, "lists", 119, (length(Name)), (list_to_binary(Name))/binary, 97, Arity>>.
