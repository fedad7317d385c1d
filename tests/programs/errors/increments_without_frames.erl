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
                      {from, fun() -> 1 - A end}, {minus_negative, fun() -> A - (-1) end}, {minus_nothing, fun() ->
                          A - 0 end},
                      {minus_least, fun() -> A - (-(1 bsl 59)) end}, {minus_most, fun() -> A - ((1 bsl 59) - 1) end},
                      {behind, fun() -> -1 - A end}, {applied, fun() -> apply(erlang, see:id('+'), [A]) end},
                      {guard, fun() -> if +A > 1 -> yes; true -> no end end},
                      {variable, fun() -> A + A end}, {positive, fun() -> +A end}, {constant, fun() -> +atom end}]],
    %% What has a sign alone is added to 0.
    [see:value(N, +N) || N <- [see:id(-7), see:id(1 bsl 70), see:id(2.5), see:id(0.0)]].

top(F) ->
    try F()
    catch error:badarith:Trace ->
            {Module, Function, Arguments, _} = hd(Trace),
            {Module, Function, Arguments}
    end.
