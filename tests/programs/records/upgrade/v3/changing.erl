-module(changing).
-export([new/1, kind/1]).
-record #other{count = 1}.
-export_record([other]).

new(N) -> #other{count = N}.
kind(#other{}) -> other;
kind(#_{count = C}) -> {any, C};
kind(_) -> none.
