%% Long lists are joined and subtracted under each name that this has, numbers are read and written, and terms hashed;
%% whoever does that is gone at once when it is killed.
-module(long_lists_joined).
-export([main/0]).

main() ->
    List = lists:seq(1, 100000),
    Few = [5, 99999, missing],
    Many = lists:seq(1, 100000, 3),
    [see:value(Name, summary(Fun())) || {Name, Fun} <- [
        {plus, fun() -> List ++ [last] end},
        {append, fun() -> erlang:append(List, [last]) end},
        {apply_append, fun() -> apply(erlang, see:id(append), [List, []]) end},
        {minus, fun() -> List -- Few end},
        {minus_many, fun() -> List -- Many end},
        {minus_none, fun() -> List -- [missing] end},
        {minus_all, fun() -> List -- lists:reverse(List) end},
        {subtract, fun() -> erlang:subtract(List, Few) end},
        {apply_subtract, fun() -> apply(erlang, see:id(subtract), [List, Many]) end}]],
    see:value(fails, [catch_reason(Fun) || Fun <- [fun() -> erlang:append(see:id(List ++ x), []) end,
        fun() -> see:id(List ++ x) -- [] end, fun() -> erlang:subtract(List, see:id(List ++ x)) end]]),
    Number = 1 bsl 200000,
    Digits = integer_to_binary(Number),
    see:value(digits, {byte_size(Digits), binary_to_integer(Digits) =:= Number,
                       list_to_integer(binary_to_list(Digits)) =:= Number, integer_to_list(Number, 7) =:= []}),
    see:value(not_digits, catch_reason(fun() -> binary_to_integer(<<Digits/binary, "x">>) end)),
    see:value(hashes, {erlang:phash2(List), erlang:phash2(List, 1000)}),
    Long = [fun() -> List -- Many end, fun() -> binary_to_integer(Digits) end, fun() -> erlang:phash2(List) end],
    see:value(killed, [killed(fun() -> again(Fun) end) || Fun <- Long]).

summary(List) when length(List) > 10 -> {length(List), hd(List), lists:last(List)};
summary(List) when is_list(List) -> List.

catch_reason(Fun) -> try Fun() catch Class:Reason -> {Class, Reason} end.

again(Fun) -> Fun(), again(Fun).

killed(Fun) ->
    {Pid, Monitor} = spawn_monitor(Fun),
    timer:sleep(20),
    exit(Pid, kill),
    receive {'DOWN', Monitor, _, _, Reason} -> Reason end.
