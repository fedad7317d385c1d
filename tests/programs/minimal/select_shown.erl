%% Clauses chosen by value, by type, by arity and by guard.
-module(select_shown).
-export([main/0]).

main() ->
    show([a, b, c, zebra, nothing, 1, 2, 100, 1000, 1 bsl 70, 1.5, <<>>, <<"bin">>, [], [x],
          "str", {}, {1}, {a, b}, {a, b, c}, #{}, self(), make_ref(), fun() -> ok end]).

show([]) -> ok;
show([Term | Rest]) -> erlang:display({name(Term), type(Term), guard(Term)}), show(Rest).

name(a) -> first;
name(b) -> second;
name(c) -> third;
name(zebra) -> last;
name(1) -> one;
name(2) -> two;
name(100) -> hundred;
name(1180591620717411303424) -> huge;
name(1.5) -> one_and_a_half;
name(<<"bin">>) -> a_binary;
name({}) -> none;
name({a, _}) -> pair;
name({_, _, _}) -> triple;
name([_ | _]) -> list;
name(_) -> other.

type(T) when is_atom(T) -> atom;
type(T) when is_integer(T) -> integer;
type(T) when is_float(T) -> float;
type(T) when is_binary(T) -> binary;
type(T) when is_list(T) -> list;
type(T) when is_tuple(T) -> tuple;
type(T) when is_map(T) -> map;
type(T) when is_pid(T) -> pid;
type(T) when is_reference(T) -> reference;
type(T) when is_function(T) -> function.

guard(T) when T > 50, T < 500 -> between;
guard(T) when hd(T) =:= x; element(1, T) =:= a -> begins;
guard(T) when tuple_size(T) + 1 > 1 -> sized;
guard(T) when length(T) > 2 -> long;
guard(T) when is_tuple(T) or is_map(T) -> compound;
guard(_) -> no.
