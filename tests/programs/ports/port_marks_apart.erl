%% One slow port and many senders, as `+spp true` has them.
%% args: +spp true
%% timeout: 90
-module(port_marks_apart).
-export([main/0]).

main() -> slow_port:main([default]).
