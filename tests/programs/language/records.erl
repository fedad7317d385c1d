%% Records: defaults, updates, nesting, access, errors.
-module(records).
-export([main/0]).
-record(person, {name, age = 0 :: integer(), address}).
-record(address, {street = "none", number = 1}).
-record(empty, {}).
-record(many, {a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8}).

main() ->
    P = #person{name = "Joe"},
    see:value(new, P),
    Q = P#person{age = 42, address = #address{number = 7}},
    see:value(updated, Q),
    see:value(nested, Q#person.address#address.number),
    see:value(deep, Q#person{address = (Q#person.address)#address{street = "Main"}}),
    see:value(empty, #empty{}),
    see:value(index, {#person.name, #person.address, #many.h}),
    see:value(info, {record_info(size, person), record_info(fields, person)}),
    M = #many{},
    see:value(many, M#many{h = 1, g = 2, f = 3, e = 4, d = 5, c = 6, b = 7, a = 8}),
    see:value(some, M#many{b = x, d = y}),
    see:value(all_default, #many{_ = 0}),
    #person{name = Name, _ = _} = Q,
    see:value(matched, Name),
    see:value(is_record, [is_record(X, person) || X <- [P, {person}, {person, 1, 2, 3}, {person, 1, 2},
        {other, 1, 2, 3}, 5]]),
    see:value(adults, [N || #person{name = N, age = A} <- [Q, P], A >= 18]),
    see:fails([fun() -> (see:id(not_record))#person.name end,
               fun() -> (see:id({person, 1}))#person.name end,
               fun() -> (see:id(#empty{}))#person{name = x} end,
               fun() -> setelement(9, see:id(P), x) end]).
