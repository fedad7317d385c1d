%% Up to OTP 25, adding or subtracting a small constant fails without a frame of its own: the trace begins with the
%% caller.
-module(increments_without_frames).
-export([main/0]).

main() ->
    A = see:id(atom),
    [see:that(Name, fun() -> top(F) end)
     || {Name, F} <- [{plus, fun() -> A + 1 end}, {minus, fun() -> A - 1 end}, {before, fun() -> 1 + A end},
         {negative, fun() -> A + -5 end},
                      {wide, fun() -> A + ((1 bsl 59) - 1) end}, {large, fun() -> A + (1 bsl 62) end},
                      {from, fun() -> 1 - A end},
                      {variable, fun() -> A + A end}]].

top(F) ->
    try F()
    catch error:badarith:Trace ->
            {Module, Function, Arguments, _} = hd(Trace),
            {Module, Function, Arguments}
    end.
