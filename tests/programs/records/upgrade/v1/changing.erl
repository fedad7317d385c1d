-module(changing).
-export([new/1, old_maker/1, get/1, set/2, kind/1, secret/1]).
-record #state{count, list = [first, {version, [1, 2, 3]}],
    tag = <<"a default that is longer than a small binary, so that it is shared: 123456789">>}.
-record #secret{key = key}.
-export_record([state]).

new(N) -> #state{count = N}.
secret(K) -> #secret{key = K}.
get(S) -> S#state.count.
set(S, N) -> S#state{count = N}.
kind(#state{count = C, list = L}) -> {one, C, L};
kind(#secret{key = K}) -> {secret_of_one, K};
kind(_) -> other.

%% A process that stays in this version.
old_maker(To) ->
    receive
        {make, N} -> To ! {made, #state{count = N}}, old_maker(To);
        {read, S} -> To ! {read, S#state.count}, old_maker(To);
        stop -> To ! stopped
    end.
