%% Terms that only this node reads again, within other terms, compressed, damaged and cut.
%% releases: 27 29
-module(local_terms_27).
-export([main/0]).

main() ->
    Local = term_to_binary({a, 5}, [local]),
    <<131, Part/binary>> = Local,
    <<_:5/binary, Plain/binary>> = Part,
    Read = fun(Name, Bytes) -> see:value(Name, try binary_to_term(Bytes) catch Class:Reason -> {Class, Reason} end) end,
    see:value(head, binary_part(Local, 0, 2)),
    Read(whole, Local),
    Read(in_list, <<131, 108, 0,0,0,1, Part/binary, 106>>),
    Read(twice_in_list, <<131, 108, 0,0,0,2, Part/binary, Part/binary, 106>>),
    Read(as_tail, <<131, 108, 0,0,0,1, 97,1, Part/binary>>),
    Read(in_tuple, <<131, 104, 3, 97,1, Part/binary, 97,2>>),
    Read(key, <<131, 116, 0,0,0,1, Part/binary, 97,1>>),
    Read(value, <<131, 116, 0,0,0,1, 97,1, Part/binary>>),
    Pairs = << <<97, N, Part/binary>> || N <- lists:seq(1, 40) >>,
    see:value(in_large_map, lists:sort(maps:to_list(binary_to_term(<<131, 116, 0,0,0,40, Pairs/binary>>)))),
    Within = <<104, 1, Part/binary>>,
    Read(compressed, <<131, 80, (byte_size(Within)):32, (zlib:compress(Within))/binary>>),
    Read(no_version, Part),
    Read(no_term, <<131, 121>>),
    Read(cut, binary_part(Local, 0, byte_size(Local) - 1)),
    Read(cut_within, <<131, 104, 1, 121, 1,2,3>>),
    Read(of_another, <<131, 121, 1,2,3,4, Plain/binary>>),
    Read(of_another_within, <<131, 104, 1, 121, 1,2,3,4, Plain/binary>>),
    see:value(used, [catch binary_to_term(Bytes, [used])
                     || Bytes <- [<<Local/binary, 99>>, <<131, Within/binary, 99>>]]),
    see:value(safe, catch binary_to_term(<<131, Within/binary>>, [safe])),
    Sent = spawn_monitor(fun() -> exit(binary_to_term(<<131, Within/binary>>)) end),
    receive {'DOWN', _, process, Pid, Reason} when Pid =:= element(1, Sent) -> see:value(sent, Reason) end,
    Long = lists:seq(1, 100000),
    <<131, LongPart/binary>> = term_to_binary({Long, self()}, [local]),
    [Again] = binary_to_term(<<131, 108, 0,0,0,1, LongPart/binary, 106>>),
    see:value(long, Again =:= {Long, self()}).
