#!/usr/bin/env escript
%% Finds what goes into one file with an escript or with a folder of applications, on the OTP that this runs on, and
%% prints it in lines, the parts of a line behind tabs: `add NAME FILE`, `folder NAME FOLDER`, `library NAME FOLDER`
%% (of this OTP), `fact KEY VALUE`, `note TEXT`, at the end `end`; or `error TEXT` and nothing else. Files that must be
%% made are made in the folder Made.
-mode(interpret).

main([Kind, Input, Made, Extent]) ->
    ok = io:setopts([{encoding, utf8}]),
    put(installed, installed()),
    put(everything, Extent =:= "all"),
    case Kind of
        "escript" -> escript(Input, Made);
        "folder" -> folder(Input, Made)
    end,
    say(["end"]).

say(Parts) -> io:format("~ts~n", [lists:join("\t", [to_text(Part) || Part <- Parts])]).

to_text(Part) when is_atom(Part) -> atom_to_list(Part);
to_text(Part) -> Part.

-spec stop(string(), [term()]) -> no_return().
stop(Format, Arguments) ->
    say(["error", io_lib:format(Format, Arguments)]),
    halt(0).

%% The applications of this OTP: names and folders.
installed() ->
    Root = code:root_dir(),
    maps:from_list([{list_to_atom(filename:basename(File, ".app")), filename:dirname(Folder)}
        || Folder <- lists:reverse(code:get_path()), lists:prefix(Root, Folder),
           File <- lists:sublist(filelib:wildcard(filename:join(Folder, "*.app")), 1)]).

is_installed(Name) -> is_map_key(Name, get(installed)).

%% The name and properties in an `.app` file of this OTP.
installed_app(Name) ->
    File = filename:join([maps:get(Name, get(installed)), "ebin", atom_to_list(Name) ++ ".app"]),
    {ok, Bytes} = file:read_file(File),
    app(File, Bytes).

app(File, Bytes) ->
    Text = case unicode:characters_to_list(Bytes) of
        Read when is_list(Read) -> Read;
        _ -> binary_to_list(Bytes)
    end,
    try
        {ok, Tokens, _} = erl_scan:string(Text),
        {ok, {application, Name, Properties}} = erl_parse:parse_term(Tokens),
        {Name, Properties}
    catch
        error:_ -> stop("~ts: it is no .app file", [File])
    end.

version(Properties) -> proplists:get_value(vsn, Properties, "0").

%% The applications that an application names.
needs(Properties) ->
    lists:append([proplists:get_value(Key, Properties, [])
        || Key <- [applications, included_applications, optional_applications]]).

%% The applications of this OTP that are reached from these names.
reach(Names) -> lists:sort(reach([kernel, stdlib | Names], [])).

reach([], Reached) -> Reached;
reach([Name | Names], Reached) ->
    case is_installed(Name) andalso not lists:member(Name, Reached) of
        true ->
            {_, Properties} = installed_app(Name),
            reach(needs(Properties) ++ Names, [Name | Reached]);
        false -> reach(Names, Reached)
    end.

%% Puts in the libraries that are reached, or all, but for those that are brought along.
add_libraries(Names, Own) ->
    All = case get(everything) of
        true -> lists:sort(maps:keys(get(installed)));
        false -> reach(Names)
    end,
    [begin
        Folder = maps:get(Name, get(installed)),
        say(["library", "lib/" ++ filename:basename(Folder), Folder])
    end || Name <- All -- Own],
    [say(["note", io_lib:format("the application ~ts is named and is neither there nor in this OTP", [Name])])
        || Name <- lists:usort(Names) -- Own, not is_installed(Name)].

escript(Input, Made) ->
    Sections = try
        {ok, Found} = escript:extract(Input, [compile_source]),
        Found
    catch
        _:Error -> stop("~ts: it is neither a release nor an escript that compiles: ~0tp", [Input, Error])
    end,
    Name = filename:basename(Input),
    {Parts, File} = case [{Key, Value} || {Key, Value} <- Sections, is_binary(Value)] of
        [{archive, Archive}] ->
            {ok, Files} = zip:unzip(Archive, [memory]),
            {Files, Input};
        [{beam, Beam}] -> {[{"main.beam", Beam}], Input};
        %% Compiled once, here, instead of at each start.
        [{source, Beam}] -> {[{"main.beam", Beam}], compiled(Sections, Beam, Made)};
        _ -> stop("~ts: it is neither a release nor an escript", [Input])
    end,
    Apps = [app(Part, Bytes) || {Part, Bytes} <- Parts, filename:extension(Part) =:= ".app"],
    Own = [Each || {Each, _} <- Apps],
    Modules = [atom_to_list(Module) ++ ".beam"
        || {_, Properties} <- Apps, Module <- proplists:get_value(modules, Properties, [])],
    %% What modules need that are of no application is seen by what they call.
    {OfApps, Loose} = lists:partition(fun({Part, _}) -> lists:member(filename:basename(Part), Modules) end,
        [Each || {Part, _} = Each <- Parts, filename:extension(Part) =:= ".beam"]),
    Names = lists:append([needs(Properties) || {_, Properties} <- Apps]) ++ called([Beam || {_, Beam} <- Loose]),
    add_libraries(Names, Own),
    tell_unnamed([Beam || {_, Beam} <- OfApps], Names, Own),
    say(["add", "bin/" ++ Name, File]),
    [say(["add", "bin/" ++ Boot, filename:join([code:root_dir(), "bin", Boot])])
        || Boot <- ["no_dot_erlang.boot", "start_clean.boot"]],
    say(["fact", "kind", "escript"]),
    say(["fact", "name", Name]),
    [say(["fact", "flags", string:trim(Flags)]) || {emu_args, Flags} <- Sections, is_list(Flags)].

%% The script with its code in place of its source.
compiled(Sections, Beam, Made) ->
    Head = [{Key, Value} || {Key, Value} <- Sections, Key =/= source, Value =/= undefined],
    {ok, Bytes} = escript:create(binary, Head ++ [{beam, with_plain_name(Beam)}]),
    File = filename:join(Made, "escript"),
    ok = file:write_file(File, Bytes),
    File.

%% The compiled script without what differs from one compilation to the next: the name of its module, which is made of
%% the time unless the script says which, and what the compiler notes.
with_plain_name(Beam) ->
    {ok, {Module, Stripped}} = beam_lib:strip(Beam),
    case string:split(atom_to_list(Module), "__escript__") of
        [Name, _] ->
            {ok, _, Chunks} = beam_lib:all_chunks(Stripped),
            {ok, Renamed} = beam_lib:build_module(
                [{Id, renamed(Id, Bytes, atom_to_binary(Module), list_to_binary(Name))} || {Id, Bytes} <- Chunks]),
            Renamed;
        [_] -> Stripped
    end.

%% The table of atoms with another name in the first place, where the module's is. Its length is a byte; from OTP 28 on
%% a tagged number, of one byte below 16 and of two below 2048.
renamed("AtU8", <<Count:32/signed, Rest/binary>>, Old, New) ->
    Length = fun(Name) when Count >= 0 -> <<(byte_size(Name))>>;
                (Name) when byte_size(Name) < 16 -> <<(byte_size(Name) bsl 4)>>;
                (Name) -> <<(byte_size(Name) bsr 8):3, 2#01000:5, (byte_size(Name)):8>>
    end,
    Before = <<(Length(Old))/binary, Old/binary>>,
    <<Before:(byte_size(Before))/binary, Others/binary>> = Rest,
    <<Count:32, (Length(New))/binary, New/binary, Others/binary>>;
renamed(_, Bytes, _, _) -> Bytes.

%% The applications of this OTP whose modules these modules call.
called(Beams) ->
    Folders = maps:from_list([{Folder, Name} || {Name, Folder} <- maps:to_list(get(installed))]),
    Modules = lists:usort([Module || Beam <- Beams, {Module, _, _} <- imports(Beam)]),
    lists:usort([maps:get(Folder, Folders) || Module <- Modules,
        Folder <- [folder_of(Module)], is_map_key(Folder, Folders)]).

imports(Beam) ->
    case beam_lib:chunks(Beam, [imports]) of
        {ok, {_, [{imports, Imports}]}} -> Imports;
        {error, beam_lib, _} -> []
    end.

%% On stock these are there without being named.
tell_unnamed(Beams, Names, Own) ->
    case (called(Beams) -- reach(Names)) -- Own of
        [_ | _] = Unnamed ->
            get(everything) orelse say(["note", io_lib:format(
                "left out, because no .app file names them, though there is code that calls them: ~ts "
                "(--all takes all)",
                [lists:join(", ", [atom_to_list(Name) || Name <- Unnamed])])]);
        [] -> ok
    end.

folder_of(Module) ->
    case code:which(Module) of
        File when is_list(File) -> filename:dirname(filename:dirname(File));
        _ -> none
    end.

%% A folder of applications becomes a release, which systools makes.
folder(Input, Made) ->
    Files = lists:append([lists:sort(filelib:wildcard(filename:join(Input, Pattern)))
        || Pattern <- ["*.app", "ebin/*.app", "*/ebin/*.app", "lib/*/ebin/*.app"]]),
    Files =/= [] orelse
        stop("~ts: there is neither a release nor an application (ebin/NAME.app) in it", [Input]),
    Apps = [begin
        {ok, Bytes} = file:read_file(File),
        {Name, Properties} = app(File, Bytes),
        {Name, Properties, filename:dirname(File)}
    end || File <- Files],
    Own = [Name || {Name, _, _} <- Apps],
    Own -- lists:usort(Own) =:= [] orelse
        stop("~ts: an application is there twice: ~0p", [Input, lists:usort(Own -- lists:usort(Own))]),
    Names = lists:append([needs(Properties) || {_, Properties, _} <- Apps]),
    add_libraries(Names, Own),
    Beams = [Beam || {_, _, Ebin} <- Apps, Beam <- filelib:wildcard(filename:join(Ebin, "*.beam"))],
    tell_unnamed(Beams, Names, Own),
    [add_app(App, Made) || App <- Apps],
    %% It is named after the application of the folder's name, or else after one that the others do not need.
    Candidates = [App || {Name, _, _} = App <- Apps, is_named(Input, Name)]
        ++ [App || {Name, _, _} = App <- Apps, not lists:member(Name, Names)] ++ Apps,
    {Main, MainProperties, _} = hd(Candidates),
    %% With --all the rest is there, and is not started.
    Started = [{Name, version(Properties)}
        || {Name, Properties} <- [installed_app(Each) || Each <- reach(Names) -- Own]],
    Release = {release, {atom_to_list(Main), version(MainProperties)}, {erts, erlang:system_info(version)},
        Started ++ [{Name, version(Properties)} || {Name, Properties, _} <- Apps]},
    Rel = filename:join(Made, "start"),
    ok = file:write_file(Rel ++ ".rel", io_lib:format("%% coding: utf-8~n~tp.~n", [Release])),
    Path = [filename:join([Made, target(App), "ebin"]) || App <- Apps],
    Options = [silent, no_warn_sasl, {path, Path}, {outdir, Made},
        {variables, [{"RELEASE_LIB", filename:join(Made, "lib")}]}],
    case systools:make_script(Rel, Options) of
        {ok, _, _} -> ok;
        {error, Module, Error} -> stop("~ts: ~ts", [Input, Module:format_error(Error)])
    end,
    At = "releases/" ++ version(MainProperties) ++ "/",
    say(["add", At ++ "start.boot", Rel ++ ".boot"]),
    say(["add", At ++ atom_to_list(Main) ++ ".rel", Rel ++ ".rel"]),
    say(["add", "bin/start_clean.boot", filename:join([code:root_dir(), "bin", "start_clean.boot"])]),
    [say(["add", At ++ Name, File]) || Name <- ["sys.config", "vm.args", "sys.config.src", "vm.args.src"],
        File <- configuration(Input, Name)],
    say(["fact", "kind", "release"]),
    say(["fact", "name", Main]),
    say(["fact", "release", version(MainProperties)]).

is_named(Input, Name) -> filename:basename(filename:absname(Input)) =:= atom_to_list(Name).

%% Where an application is put, as releases have it.
target({Name, Properties, _}) -> "lib/" ++ atom_to_list(Name) ++ "-" ++ version(Properties).

%% Puts in an application, and shows it to systools by the name that it will have.
add_app({_, _, Ebin} = App, Made) ->
    Folders = case filename:basename(Ebin) of
        "ebin" -> [{Name, filename:join(filename:dirname(Ebin), Name)} || Name <- ["ebin", "priv"]];
        _ -> [{"ebin", Ebin}]
    end,
    [begin
        Link = filename:join([Made, target(App), Name]),
        ok = filelib:ensure_dir(Link),
        ok = file:make_symlink(filename:absname(Folder), Link),
        say(["folder", target(App) ++ "/" ++ Name, Folder])
    end || {Name, Folder} <- Folders, filelib:is_dir(Folder)].

configuration(Input, Name) ->
    Places = [filename:join(Input, Name), filename:join([Input, "config", Name])],
    lists:sublist([File || File <- Places, filelib:is_regular(File)], 1).
