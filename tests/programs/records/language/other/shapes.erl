-module(shapes).
-export([point/1, point/2, hidden/1, x/1, move/2, is_point/1, is_hidden/1, any_x/1, hide/2, seen/1, own/1, own_hidden/1,
    foreign/1]).

-record #point{x, y = 0, tag = [default, {part, shape}]}.
-record #hidden{x = 1, y}.
-record #empty{}.
-export_record([point, empty]).

point(X) -> #point{x = X}.
point(X, Y) -> #point{y = Y, x = X}.
hidden(Y) -> #hidden{y = Y}.
own(X) -> #shapes:point{x = X}.
own_hidden(X) -> #shapes:hidden{y = X}.
x(P) -> P#point.x.
move(P, X) -> P#point{x = X}.
hide(P, X) -> P#hidden{x = X}.
is_point(P) -> is_record(P, point).
is_hidden(#hidden{}) -> true;
is_hidden(_) -> false.
any_x(P) -> P#_.x.
seen(#point{x = X, tag = T}) -> {point, X, T};
seen(#hidden{y = Y}) -> {hidden, Y};
seen(#_{x = X}) -> {any, X};
seen(_) -> other.
foreign(P) -> {P#language:inner.a, P#language:inner{a = 2}}.
