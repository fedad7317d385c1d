%% What would take far more memory than any machine has is refused at once, before any of it is used, and the node goes
%% on.
%% differs: stock reserves the memory at once too, but ends the node when the system refuses it.
-module(more_than_there_is).
-export([main/0]).

-define(BYTES, (1 bsl 44)).

main() ->
    see:value(bits, reason(fun() -> byte_size(zeros(see:id(?BYTES))) end)),
    see:value(copies, reason(fun() -> byte_size(binary:copy(<<"abcdefgh">>, see:id(?BYTES div 8))) end)),
    see:value(appended, reason(fun() -> byte_size(<<(see:id(<<"abc">>))/binary, 0:(see:id(?BYTES))/unit:8>>) end)),
    see:value(goes_on, byte_size(zeros(see:id(1000)))).

reason(Fun) ->
    try Fun() catch Class:Reason -> {Class, Reason} end.

zeros(Bytes) -> <<0:Bytes/unit:8>>.
