%% What isn't valid utf8, utf16 or utf32 doesn't match.
%% differs: stock OTP 25.2 gets these right one by one, but a list of them ends its machine with a segmentation fault
-module(utf_invalid).
-export([main/0]).

main() ->
    Bad = [<<>>, <<255>>, <<192, 128>>, <<193, 191>>, <<224, 128, 128>>, <<237, 160, 128>>, 
           <<226, 130>>, <<226, 40, 161>>, <<128>>, <<240, 128, 128, 128>>, <<240, 143, 191, 191>>,
           <<240, 144, 128, 128>>, <<244, 143, 191, 191>>,
           <<244, 144, 128, 128>>, <<248, 136, 128, 128, 128>>, <<216, 0>>, <<216, 0, 0, 65>>, <<220, 0>>,
           <<0, 17, 0, 0>>, <<0, 0, 216, 0>>],
    [io:format("~w~n", [{B, u8(B), u16(B), u32(B)}]) || B <- Bad].

u8(<<C/utf8, _/binary>>) -> C; u8(_) -> no.
u16(<<C/utf16, _/binary>>) -> C; u16(_) -> no.
u32(<<C/utf32, _/binary>>) -> C; u32(_) -> no.
