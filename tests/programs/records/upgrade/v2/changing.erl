-module(changing).
-export([new/1, get/1, set/2, set_limit/2, kind/1, secret/1]).
-record #state{limit = 10, count, list = [second]}.
-record #secret{key = key, lock = none}.
-export_record([state, secret]).

new(N) -> #state{count = N}.
secret(K) -> #secret{key = K}.
get(S) -> S#state.count.
set(S, N) -> S#state{count = N}.
set_limit(S, N) -> S#state{limit = N}.
kind(#state{limit = X, count = C}) -> {two, X, C};
kind(#state{tag = T}) -> {one_seen_by_two, T};
kind(#secret{lock = L}) -> {secret_of_two, L};
kind(_) -> other.
