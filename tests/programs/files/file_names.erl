%% The file system by names: making, listing, linking, renaming and removing, and how
%% each of these is refused.
-module(file_names).
-export([main/0]).

main() ->
    Top = filename:join(os:getenv("TMPDIR", "/tmp"), "file_names_" ++ os:getpid()),
    ok = file:make_dir(Top),
    {ok, Before} = file:get_cwd(),
    try
        ok = file:set_cwd(Top),
        see:value(cwd, {ok, Top} =:= file:get_cwd()),
        directories(),
        links(),
        renames(),
        odd_names(),
        infos(),
        set_infos(),
        refused()
    after
        ok = file:set_cwd(Before),
        see:value(removed, file:del_dir_r(Top))
    end.

directories() ->
    see:all([{"make", fun() -> file:make_dir("d") end},
             {"make again", fun() -> file:make_dir("d") end},
             {"make below nothing", fun() -> file:make_dir("no/d") end},
             {"list empty", fun() -> file:list_dir("d") end},
             {"list nothing", fun() -> file:list_dir("no") end},
             {"write", fun() -> file:write_file("d/a", "1") end},
             {"write", fun() -> file:write_file("d/b", "2") end},
             {"list", fun() -> sorted(file:list_dir("d")) end},
             {"list all", fun() -> sorted(file:list_dir_all("d")) end},
             {"list a file", fun() -> file:list_dir("d/a") end},
             {"remove full", fun() -> file:del_dir("d") end},
             {"remove a file as directory", fun() -> file:del_dir("d/a") end},
             {"remove a directory as file", fun() -> file:delete("d") end},
             {"delete", fun() -> [file:delete("d/a"), file:delete("d/b"), file:delete("d/b")] end},
             {"remove", fun() -> [file:del_dir("d"), file:del_dir("d")] end},
             {"ensure_dir", fun() -> [filelib:ensure_dir("e/f/g"), filelib:is_dir("e/f"), filelib:is_file("e/f/g")]
                 end},
             {"remove all", fun() -> [file:del_dir_r("e"), filelib:is_dir("e")] end},
             {"set_cwd to nothing", fun() -> file:set_cwd("no") end},
             {"set_cwd to a file", fun() -> file:write_file("f", ""), file:set_cwd("f") end},
             {"drives", fun() -> [file:get_cwd("C:"), file:get_cwd("c:/"), file:get_cwd(c)] end}]).

sorted({ok, Names}) -> {ok, lists:sort(Names)};
sorted(Other) -> Other.

links() ->
    ok = file:write_file("target", "text"),
    see:all([{"hard", fun() -> file:make_link("target", "hard") end},
             {"hard again", fun() -> file:make_link("target", "hard") end},
             {"hard to nothing", fun() -> file:make_link("no", "hard2") end},
             {"soft", fun() -> file:make_symlink("target", "soft") end},
             {"soft again", fun() -> file:make_symlink("target", "soft") end},
             {"soft to nothing", fun() -> file:make_symlink("no", "dangling") end},
             {"read soft", fun() -> [file:read_link("soft"), file:read_link_all("soft"), file:read_link("dangling")]
                 end},
             {"read hard", fun() -> file:read_link("hard") end},
             {"read nothing", fun() -> file:read_link("no") end},
             {"content", fun() -> [file:read_file("soft"), file:read_file("hard"), file:read_file("dangling")] end},
             {"loop", fun() -> file:make_symlink("loop", "loop"), file:read_file("loop") end},
             {"long target", fun() ->
                                     Long = lists:duplicate(600, $x),
                                     ok = file:make_symlink(Long, "long"),
                                     {ok, Long} =:= file:read_link("long")
                             end},
             {"not UTF-8", fun() ->
                                     ok = file:make_symlink(<<"x", 255>>, "raw"),
                                     [file:read_link("raw"), file:read_link_all("raw"), file:delete("raw")]
                             end}]).

renames() ->
    ok = file:write_file("one", "1"),
    ok = file:write_file("two", "2"),
    ok = filelib:ensure_dir("full/x"),
    ok = file:write_file("full/x", ""),
    ok = file:make_dir("empty"),
    see:all([{"over a file", fun() -> [file:rename("one", "two"), file:read_file("two"), file:read_file("one")] end},
             {"nothing", fun() -> file:rename("no", "two") end},
             {"file over directory", fun() -> file:rename("two", "empty") end},
             {"directory over file", fun() -> file:rename("empty", "two") end},
             {"directory over full one", fun() -> file:rename("empty", "full") end},
             {"directory over empty one", fun() -> file:rename("full", "empty") end},
             {"into itself", fun() -> file:rename("empty", "empty/below") end},
             {"the root", fun() -> file:rename("/", "/no") end},
             {"to nowhere", fun() -> file:rename("two", "no/two") end}]).

odd_names() ->
    Names = ["", <<>>, "a\0b", <<"a", 0, "b">>, [$a, -1], [$a | b], a, ['a', "b", $c], 17, {a}, ["x", [$y, ["z"]]],
             [16#D800], [16#110000], lists:duplicate(300, $n), "f/", "f/x", "./f", [229, 228, 246], [1080, 1084, 1103]],
    lists:foreach(
      fun(Name) ->
              see:that({write, Name}, fun() -> file:write_file(Name, <<"x">>) end),
              see:that({read, Name}, fun() -> file:read_file(Name) end),
              see:that({info, Name}, fun() -> element(1, file:read_file_info(Name)) end),
              see:that({delete, Name}, fun() -> file:delete(Name) end)
      end, Names),
    see:that("list", fun() -> {ok, L} = file:list_dir("."), lists:sort(L -- ["raw"]) end),
    see:that("raw", fun() -> file:write_file(<<"raw", 254>>, <<"x">>) end),
    see:that("list all", fun() -> {ok, L} = file:list_dir_all("."), lists:sort(L) end),
    see:that("delete raw", fun() -> file:delete(<<"raw", 254>>) end),
    see:that("native", fun() -> [prim_file:internal_name2native(N) || N <- ["ab", <<"ab">>, [229], ""]] end),
    see:that("names", fun() -> [prim_file:internal_native2name(N) || N <- [<<"ab">>, <<195, 165>>, <<255>>, <<>>]] end).

%% Everything of an info that is the same at every run.
shown({ok, Info}) ->
    {file_info, Size, Type, Access, _, _, _, Mode, Links, _, _, _, _, _} = Info,
    {Size, Type, Access, io_lib:format("~.8b", [Mode]), Links};
shown(Other) ->
    Other.

infos() ->
    ok = file:write_file("info", "12345"),
    ok = file:make_dir("infodir"),
    see:all([{"file", fun() -> shown(file:read_file_info("info")) end},
             {"directory", fun() -> element(2, shown(file:read_file_info("infodir"))) end},
             {"link", fun() -> element(2, shown(file:read_link_info("soft"))) end},
             {"through link", fun() -> element(2, shown(file:read_file_info("soft"))) end},
             {"dangling", fun() -> [shown(file:read_file_info("dangling")),
                 element(2, shown(file:read_link_info("dangling")))] end},
             {"device", fun() -> element(2, shown(file:read_file_info("/dev/null"))) end},
             {"nothing", fun() -> file:read_file_info("no") end},
             {"below a file", fun() -> file:read_file_info("info/x") end},
             {"raw", fun() -> shown(file:read_file_info("info", [raw])) end},
             {"posix", fun() ->
                               {ok, Info} = file:read_file_info("info", [{time, posix}]),
                               lists:all(fun is_integer/1, [element(N, Info) || N <- [5, 6, 7]])
                       end},
             {"sizes", fun() -> [filelib:file_size("info"), filelib:file_size("no")] end}]).

set_infos() ->
    ok = file:write_file("set", "x"),
    see:all([{"mode", fun() -> [file:change_mode("set", 8#640), shown(file:read_file_info("set"))] end},
             {"no write", fun() -> [file:change_mode("set", 8#400), shown(file:read_file_info("set"))] end},
             {"mode of nothing", fun() -> file:change_mode("no", 8#600) end},
             {"time", fun() ->
                              Time = {{2001, 2, 3}, {4, 5, 6}},
                              [file:change_time("set", Time), filelib:last_modified("set") =:= Time]
                      end},
             {"times", fun() ->
                               ok = file:write_file_info("set", {file_info, undefined, undefined, undefined, 17,
                                   1 bsl 31, undefined,
                                                                 undefined, undefined, undefined, undefined, undefined,
                                                                 undefined, undefined}, [{time, posix}]),
                               {ok, Info} = file:read_file_info("set", [{time, posix}]),
                               [element(5, Info), element(6, Info)]
                       end},
             {"before 1970", fun() ->
                               ok = file:write_file_info("set", {file_info, undefined, undefined, undefined, -1,
                                   -3000000000, undefined,
                                                                 undefined, undefined, undefined, undefined, undefined,
                                                                 undefined, undefined}, [{time, posix}]),
                               {ok, Info} = file:read_file_info("set", [{time, posix}]),
                               [element(5, Info), element(6, Info)]
                       end},
             {"owner unchanged", fun() -> file:change_owner("set", -1, -1) end},
             {"group unchanged", fun() -> file:change_group("set", -1) end},
             {"bad mode", fun() -> file:change_mode("set", -1) end},
             {"bad time", fun() -> file:change_time("set", {{2001, 2, 30}, {4, 5, 6}}) end}]).

refused() ->
    see:all([{"altname", fun() -> prim_file:altname("set") end},
             {"open_nif", fun() -> prim_file:open(<<"set">>, not_a_list) end},
             {"list_dir", fun() -> prim_file:list_dir(a) end},
             {"set_owner", fun() -> prim_file:write_file_info("set", {file_info}) end}]).
