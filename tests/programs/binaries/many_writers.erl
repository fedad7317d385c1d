%% Half a million characters are appended to a binary, in few slices: operations that follow each other must not pile up
%% on the stack of the machine's thread.
-module(many_writers).
-export([main/0]).

-define(TEN(Type), C/Type, C/Type, C/Type, C/Type, C/Type, C/Type, C/Type, C/Type, C/Type, C/Type).
-define(HUNDRED(Type), ?TEN(Type), ?TEN(Type), ?TEN(Type), ?TEN(Type), ?TEN(Type), ?TEN(Type), ?TEN(Type), ?TEN(Type),
    ?TEN(Type), ?TEN(Type)).

main() ->
    [see:value({C, Kind}, erlang:md5(written(Kind, see:id(C)))) ||
        C <- [$a, 16#E4, 16#20AC, 16#1F600], Kind <- [utf8, utf16, little, utf32]].

written(utf8, C) -> utf8(C, 5000, <<>>);
written(utf16, C) -> utf16(C, 5000, <<>>);
written(little, C) -> little(C, 5000, <<>>);
written(utf32, C) -> utf32(C, 5000, <<>>).

utf8(_, 0, All) -> All;
utf8(C, Left, All) -> utf8(C, Left - 1, <<All/binary, ?HUNDRED(utf8)>>).

utf16(_, 0, All) -> All;
utf16(C, Left, All) -> utf16(C, Left - 1, <<All/binary, ?HUNDRED(utf16)>>).

little(_, 0, All) -> All;
little(C, Left, All) -> little(C, Left - 1, <<All/binary, ?HUNDRED(utf16-little)>>).

utf32(_, 0, All) -> All;
utf32(C, Left, All) -> utf32(C, Left - 1, <<All/binary, ?HUNDRED(utf32)>>).
