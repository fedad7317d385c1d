%% One slow port and many senders, by the option of the port.
%% timeout: 90
-module(port_marks).
-export([main/0]).

main() -> slow_port:main([false, true]).
