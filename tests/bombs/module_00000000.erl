%% A module with a constant of 160 kB, to be loaded under many names of this length.
-module(module_00000000).
-export([f/0]).

-define(TEN(Text), Text Text Text Text Text Text Text Text Text Text).

f() -> ?TEN(?TEN(?TEN("aaaaaaaaaa"))).
