%% Files and folders, raw and through processes, with their errors.
-module(files).
-export([main/0]).

main() ->
    see:value(write_read, [file:write_file("a.txt", "hello\nworld\n"), file:read_file("a.txt"),
        file:write_file("a.txt", "more", [append]), file:read_file("a.txt")]),
    see:value(missing, [file:read_file("none"), file:open("none", [read]), file:delete("none"), file:list_dir("none"),
        file:read_file_info("none"), file:rename("none", "x"), file:open("none/x", [write]), file:read_file(".")]),
    [see:value({io, O}, io_file(O)) || O <- [[], [raw], [binary], [raw, binary], [raw, binary, delayed_write],
        [raw, binary, read_ahead]]],
    see:value(dirs, [file:make_dir("d"), file:make_dir("d"), file:write_file("d/x", "1"), file:write_file("d/y", "2"),
        begin {ok, L} = file:list_dir("d"), lists:sort(L) end, file:del_dir("d"), file:del_dir_r("d"),
    filelib:is_dir("d")]),
    see:value(position, begin {ok, F} = file:open("p", [read, write, binary]), file:write(F, "0123456789"),
        R = [file:position(F, P) || P <- [3, {cur, 2}, {eof, -1}, bof, eof, {bof, 2}]], R2 = file:read(F, 3),
    R3 = file:pread(F, 5, 2), R4 = file:pwrite(F, 0, "ab"), R5 = file:pread(F, [{0, 3}, {8, 10}, {50, 1}]),
    file:truncate(F), file:close(F), {R, R2, R3, R4, R5, file:read_file("p")} end),
    see:value(lines, begin ok = file:write_file("l", "one\ntwo\r\nthree"),
        {ok, F2} = file:open("l", [read, raw, binary, read_ahead]), Ls = read_lines(F2), file:close(F2), Ls end),
    see:value(io_lines, begin {ok, F3} = file:open("l", [read]), Ls2 = [io:get_line(F3, "") || _ <- [1, 2, 3, 4]],
        file:close(F3), Ls2 end),
    see:value(unicode, begin {ok, F4} = file:open("u", [write, {encoding, utf8}]), io:put_chars(F4, "aλ\n"),
        file:close(F4), {ok, F5} = file:open("u", [read, {encoding, utf8}]), X = io:get_line(F5, ""), file:close(F5),
    {file:read_file("u"), X} end),
    see:value(name, [file:write_file("λ.txt", "x"), filelib:is_file("λ.txt"), file:delete("λ.txt")]),
    see:value(info, begin {ok, I} = file:read_file_info("a.txt"), {element(1, I), element(2, I), element(3, I),
        element(4, I)} end),
    see:value(links, [file:make_symlink("a.txt", "s"), file:read_link("s"), file:read_file("s"),
        file:make_link("a.txt", "h"), file:read_file("h"), file:delete("s"), element(1, file:read_link_info("h"))]),
    see:value(copy, [file:copy("a.txt", "b.txt"), file:rename("b.txt", "c.txt"), file:read_file("c.txt"),
        file:copy("a.txt", "none/x")]),
    see:value(cwd, begin {ok, Old} = file:get_cwd(), ok = file:make_dir("sub"), ok = file:set_cwd("sub"),
        {ok, New} = file:get_cwd(), ok = file:set_cwd(".."),
    {filename:basename(New), element(2, file:get_cwd()) =:= Old, file:set_cwd("none")} end),
    see:value(filelib, [lists:sort(filelib:wildcard("*.txt")), filelib:file_size("a.txt"), filelib:ensure_dir("x/y/z"),
        filelib:is_dir("x/y"), filelib:fold_files(".", "^.$", true, fun(N, A) -> [N | A] end, []) =/= none]),
    see:value(filename, [filename:join(["a", "b", "/c", "d"]), filename:join("a", "../b"), filename:split("/a/b/c.erl"),
        filename:basename("/x/y.erl", ".erl"), filename:dirname("/x/y"), filename:extension("a.b.c"),
    filename:rootname("a/b.erl"), filename:absname("x", "/r"), filename:pathtype("a"), filename:nativename("a/b"),
    filename:join(<<"a">>, "b")]),
    see:value(errors, [file:format_error(E) || E <- [enoent, eacces, badarg, enospc]]),
    see:value(closed, begin {ok, F6} = file:open("a.txt", [read, raw]), ok = file:close(F6),
        [file:read(F6, 1), file:close(F6)] end),
    see:value(exclusive, [element(1, file:open("e", [write, exclusive])), file:open("e", [write, exclusive])]),
    see:value(modes, [begin {ok, I2} = file:read_file_info("a.txt"), element(8, I2) band 8#777 > 0 end,
        file:change_mode("a.txt", 8#600), begin {ok, I3} = file:read_file_info("a.txt"), element(8, I3) band 8#777
        end]),
    see:value(times, file:change_time("a.txt", {{2020, 1, 2}, {3, 4, 5}}, {{2021, 1, 2}, {3, 4, 5}})),
    see:value(ram, begin {ok, R6} = file:open("content", [ram, read, binary]), X6 = file:read(R6, 7), file:close(R6),
        X6 end),
    see:value(large, begin B = binary:copy(<<"0123456789">>, 100000), ok = file:write_file("big", B),
        {ok, B2} = file:read_file("big"), B2 =:= B end),
    see:value(sync, begin {ok, F7} = file:open("sy", [write, raw]), R7 = [file:write(F7, ["io", <<"list">>, $x]),
        file:sync(F7), file:datasync(F7)], file:close(F7), {R7, file:read_file("sy")} end),
    see:value(bad_names, [try file:read_file(N) catch error:E8 -> E8 end || N <- [a, [a], "a\0b", <<"x", 0>>, {x}, 5]]).

io_file(O) ->
    {ok, F} = file:open("io", [write | O]), ok = file:write(F, "line 1\nline 2\nlast"), ok = file:close(F),
    {ok, G} = file:open("io", [read | O -- [delayed_write]]),
    R = [file:read(G, 4), file:read_line(G), file:read_line(G), file:read(G, 100), file:read(G, 1), file:read_line(G)],
    ok = file:close(G), R.

read_lines(F) -> case file:read_line(F) of {ok, L} -> [L | read_lines(F)]; eof -> [] end.
