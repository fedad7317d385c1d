%% Answers every call that is stopped.
-module(quiet_handler).
-export([breakpoint/3, undefined_function/3]).

breakpoint(_, _, _) -> stopped.

undefined_function(M, F, A) -> error_handler:undefined_function(M, F, A).
