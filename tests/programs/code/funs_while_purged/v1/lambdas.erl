-module(lambdas).
-export([plain/0, adds/1, nullary/1, runs/1]).
plain() -> fun(X) -> {one, X} end.
adds(N) -> fun(X) -> {one, X + N} end.
nullary(To) -> fun() -> To ! {self(), one}, ok end.
%% Runs old code while it waits.
runs(To) -> fun() -> To ! {self(), runs}, receive stop -> ok end, one end.
