%% One slow port and many senders, as `+spp false` has them.
%% args: +spp false
%% timeout: 90
-module(port_marks_at_once).
-export([main/0]).

main() -> slow_port:main([default]).
