%% Which key is named when several that are to be updated are missing: the least in the order of keys, not the first.
%% From OTP 26 on, atoms as keys are ordered by when they were made, which is not the same in each run.
%% releases: 25
-module(several_keys_missing).
-export([main/0]).

main() ->
    Maps = [see:id(#{}), see:id(#{z => 1}), maps:from_list([{X, X} || X <- lists:seq(1, 40)]), see:id(no_map)],
    Updates = [
        fun(M) -> M#{b := 1, a := 2} end,
        fun(M) -> M#{42.0 := v, 42 := w} end,
        fun(M) -> M#{z := 1, x := v, q := w} end,
        fun(M) -> M#{"a" := 1, x := v, {q} := w} end,
        fun(M) -> M#{{q} := 1, "x" := v, x := w} end,
        fun(M) -> A = see:id(zz), B = see:id(aa), M#{A := 1, B := v, x := w} end,
        fun(M) -> A = see:id(zz), B = see:id(aa), M#{B := 1, A := v} end,
        fun(M) -> M#{1180591620717411303424 := 1, 3 := v, 3.5 := w} end,
        fun(M) -> M#{1180591620717411303424 := 1, 3.5 := w} end,
        fun(M) -> M#{-1.0 := 1, -1 := v} end,
        fun(M) -> M#{0.0 := 1, -1 := v, -2.0 := w, a := x} end,
        fun(M) -> M#{k9 := 1, k8 := 2, k7 := 3, k6 := 4, k5 := 5, k4 := 6, k3 := 7, k2 := 8, k1 := 9, 1 := 10} end],
    [see:value(Nth, [catch update(lists:nth(Nth, Updates), Map) || Map <- Maps])
        || Nth <- lists:seq(1, length(Updates))].

update(Update, Map) ->
    try Update(Map) catch error:Reason -> Reason end.
