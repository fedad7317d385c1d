//! Escripts and folders of applications in one file, beside the same on stock.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use stock::Otp;

#[path = "releases/made.rs"]
mod made;
use made::{Ended, app, ended, pack, packed, run, text};

/// A script that tells what it sees, with the status that its first argument names.
const SCRIPT: &str = r#"#!/usr/bin/env escript
%% -*- erlang -*-
%%! -kernel told 1 +S 2
main(["fail" | _]) -> error(failed);
main(["throw" | _]) -> throw(thrown);
main(["return" | _]) -> whatever;
main([Status | Arguments]) ->
    io:format("~p~n", [{Arguments, filename:basename(escript:script_name()), application:get_env(kernel, told),
        erlang:system_info(schedulers), init:get_argument(boot) =/= error, xmerl_present(), io:columns()}]),
    io:format(standard_error, "~ts~n", [[8364]]),
    halt(list_to_integer(Status)).
xmerl_present() -> lists:sort([Name || Name <- [stdlib, kernel], code:lib_dir(Name) =/= {error, bad_name}]).
"#;

/// Makes escripts in the current folder: of code, and of an archive with two applications, one of which has a file in
/// its `priv`. Also the applications as folders.
const MAKE: &str = r#"
    {ok, tool, Beam} = compile:file("tool.erl", [binary]),
    {ok, tool_help, Help} = compile:file("tool_help.erl", [binary]),
    App = fun(Name, Vsn, Modules, Needs) -> iolist_to_binary(io_lib:format("~p.~n", [{application, Name,
        [{description, ""}, {vsn, Vsn}, {modules, Modules}, {applications, [kernel, stdlib | Needs]}, {registered, []}]
        ++ [{mod, {tool, []}} || Name =:= tool]}])) end,
    Files = [{"tool/ebin/tool.app", App(tool, "1.2", [tool], [tool_help])}, {"tool/ebin/tool.beam", Beam},
        {"tool_help/ebin/tool_help.app", App(tool_help, "3", [tool_help], [crypto ||
            erlang:system_info(otp_release) =:= "25", code:which(crypto) =/= non_existing])},
        {"tool_help/ebin/tool_help.beam", Help}, {"tool_help/priv/text", <<"helpful">>}],
    ok = escript:create("archive", [shebang, {emu_args, "-escript main tool"}, {archive, Files, []}]),
    ok = escript:create("code", [shebang, {comment, "a comment"}, {emu_args, "-kernel told 1"}, {beam, Beam}]),
    [begin ok = filelib:ensure_dir("apps/" ++ Name), ok = file:write_file("apps/" ++ Name, Bytes) end
        || {Name, Bytes} <- Files],
    halt()."#;

const TOOL: &str = r#"
    -module(tool).
    -export([main/1, start/2, stop/1]).
    main(Arguments) ->
        io:format("~p~n", [{Arguments, catch tool_help:help(), application:get_env(kernel, told)}]),
        halt(length(Arguments)).
    start(_, _) ->
        io:format("~p~n", [{started, application:get_env(tool, level), tool_help:help(), init:get_plain_arguments(),
            lists:sort([Name || {Name, _, _} <- application:which_applications()])}]),
        {ok, spawn_link(fun() -> timer:sleep(200), init:stop(5) end)}.
    stop(_) -> ok."#;

const TOOL_HELP: &str = r#"
    -module(tool_help).
    -export([help/0]).
    help() ->
        {filename:basename(filename:dirname(code:which(?MODULE))), priv()}.
    priv() ->
        case code:priv_dir(?MODULE) of
            {error, _} -> none;
            Folder -> case erl_prim_loader:get_file(filename:join(Folder, "text")) of
                {ok, Text, _} -> Text;
                error -> none
            end
        end."#;

/// What is made in a folder for an OTP.
fn made_in(folder: &Path, otp: &Otp) {
    fs::write(folder.join("script"), SCRIPT).unwrap();
    fs::write(folder.join("tool.erl"), TOOL).unwrap();
    fs::write(folder.join("tool_help.erl"), TOOL_HELP).unwrap();
    run(Command::new(&otp.erl)
        .args(["-noshell", "-eval", MAKE])
        .current_dir(folder));
}

/// A script as stock's `escript` runs it.
fn on_stock(otp: &Otp, script: &Path, flags: &[&str], words: &[&str]) -> Ended {
    let output = Command::new(&otp.erl)
        .args(["+B", "-boot", "no_dot_erlang", "-noshell"])
        .args(flags)
        .args(["-run", "escript", "start", "-extra"])
        .arg(script)
        .args(words)
        .env("LC_ALL", "C.UTF-8")
        .output()
        .unwrap();
    ended(&output)
}

/// The first line of complaints: the others tell through which code of OTP an error came.
fn short((status, out, errors): Ended) -> Ended {
    let first = errors.lines().next().unwrap_or_default();
    (status, out, first.to_owned())
}

#[test]
fn scripts_of_each_kind_do_what_they_do_on_stock() {
    for otp in made::otps() {
        let folder = tempfile::tempdir().unwrap();
        made_in(folder.path(), &otp);
        for (name, flags, cases) in [
            (
                "script",
                &["-kernel", "told", "1", "+S", "2"][..],
                &[
                    &["0", "a", "b c", "-d", "--verify", ""][..],
                    &["3", "--", "ü"],
                    &["fail"],
                    &["throw"],
                    &["return"],
                ][..],
            ),
            (
                "code",
                &["-kernel", "told", "1"],
                &[&[][..], &["-noshell", "x"]],
            ),
            (
                "archive",
                &["-escript", "main", "tool"],
                &[&["+a", "stop"][..]],
            ),
        ] {
            let script = folder.path().join(name);
            let path = folder.path().join(format!("{name} packed"));
            assert_eq!(packed(&otp, &script, &path), "", "{name}");
            for words in cases {
                let mut command = app(&path);
                let output = command.args(*words).env("LC_ALL", "C.UTF-8").output();
                let place = format!("OTP {}: {name} {words:?}", otp.release);
                let stock = short(on_stock(&otp, &script, flags, words));
                assert_eq!(short(ended(&output.unwrap())), stock, "{place}");
            }
            let verified = app(&path).arg("--ferl-verify").output().unwrap();
            assert!(text(&verified.stdout).contains(": ok, "));
        }
    }
}

/// The libraries in a packed file, without their versions.
fn libraries(path: &Path) -> Vec<String> {
    let seal = ship::seal::Seal::of(&fs::read(path).unwrap()).unwrap();
    let image = ship::image::Image::open(path, &seal).unwrap();
    let names = sys::file::packed::Packed::list(&image, b"lib");
    let names = names.iter().map(|name| text(name));
    names
        .map(|name| name.split('-').next().unwrap_or_default().to_owned())
        .collect()
}

#[test]
fn what_is_named_and_what_that_names_goes_in() {
    let otp = stock::otp();
    let folder = tempfile::tempdir().unwrap();
    made_in(folder.path(), otp);
    let at = |name: &str| folder.path().join(name);
    packed(otp, &at("script"), &at("one"));
    assert_eq!(libraries(&at("one")), ["kernel", "stdlib"]);
    packed(otp, &at("archive"), &at("two"));
    let has_crypto = otp.root.join("lib").read_dir().unwrap().any(|file| {
        let name = file.unwrap().file_name();
        name.to_str()
            .is_some_and(|name| name.starts_with("crypto-"))
    });
    let expected: &[&str] = match has_crypto {
        true => &["crypto", "kernel", "stdlib"],
        false => &["kernel", "stdlib"],
    };
    assert_eq!(libraries(&at("two")), expected);
    let all = pack(
        otp,
        &[
            &at("script"),
            Path::new("--all"),
            Path::new("-o"),
            &at("all"),
        ],
    );
    assert_eq!(all.0, Some(0), "{}", all.2);
    let all = libraries(&at("all"));
    assert!(all.len() > 4 && all.contains(&"sasl".to_owned()), "{all:?}");
    // What a script calls goes in without being named.
    fs::write(
        at("calls"),
        "#!/usr/bin/env escript\nmain(_) -> alarm_handler:get_alarms().\n",
    )
    .unwrap();
    packed(otp, &at("calls"), &at("three"));
    assert!(libraries(&at("three")).contains(&"sasl".to_owned()));
    // What an application calls and does not name is told of.
    let caller = "-module(tool). -export([main/1]). main(_) -> alarm_handler:get_alarms().";
    fs::write(at("tool.erl"), caller).unwrap();
    run(Command::new(&otp.erl)
        .args(["-noshell", "-eval", MAKE])
        .current_dir(folder.path()));
    let notes = packed(otp, &at("archive"), &at("four"));
    assert!(
        notes.contains("code that calls them: sasl (--all"),
        "{notes}"
    );
}

#[test]
fn a_folder_of_applications_is_started_as_a_release() {
    for otp in made::otps() {
        let folder = tempfile::tempdir().unwrap();
        made_in(folder.path(), &otp);
        let apps = folder.path().join("apps");
        let path = folder.path().join("packed");
        // Whether the logger still tells of an application that ends is chance.
        let config = "[{tool, [{level, 7}]}, {kernel, [{logger_level, error}]}].\n";
        fs::write(apps.join("sys.config"), config).unwrap();
        assert_eq!(packed(&otp, &apps, &path), "");
        let run = |path: &Path, words: &[&str]| ended(&app(path).args(words).output().unwrap());
        let place = format!("OTP {}", otp.release);
        let (status, said, errors) = run(&path, &["start", "x"]);
        let said = said.replace("crypto,", "");
        let expected =
            "{started,{ok,7},{\"ebin\",<<\"helpful\">>},[\"x\"],[kernel,stdlib,tool_help]}\n";
        assert_eq!((status, &*said), (Some(5), expected), "{place}: {errors}");
        assert_eq!(run(&path, &["version"]).1, "1.2\n");
        // One application alone: its folder, or that of its code.
        fs::remove_file(apps.join("tool/ebin/tool.beam")).unwrap();
        for part in ["tool_help", "tool_help/ebin"] {
            let path = folder.path().join("one");
            assert_eq!(packed(&otp, &apps.join(part), &path), "", "{part}");
            let told = "io:format(\"~p~n\", [{application:load(tool_help), code:which(tool_help) =/= non_existing}]), halt().";
            let (_, said, errors) = run(&path, &["erl", "-noshell", "-eval", told]);
            assert_eq!(said, "{ok,true}\n", "{place}: {errors}");
        }
    }
}

#[test]
fn a_source_that_is_packed_twice_gives_the_same_bytes() {
    let otp = stock::otp();
    let folder = tempfile::tempdir().unwrap();
    made_in(folder.path(), otp);
    for name in ["script", "code", "archive", "apps"] {
        let input = folder.path().join(name);
        let [one, other]: [PathBuf; 2] = ["one", "other"].map(|out| folder.path().join(out));
        packed(otp, &input, &one);
        std::thread::sleep(std::time::Duration::from_millis(1100));
        packed(otp, &input, &other);
        assert!(fs::read(one).unwrap() == fs::read(other).unwrap(), "{name}");
    }
}

#[test]
fn what_cannot_be_packed_is_refused_by_name() {
    let otp = stock::otp();
    let folder = tempfile::tempdir().unwrap();
    made_in(folder.path(), otp);
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("empty")).unwrap();
    fs::write(at("text"), "no script\n").unwrap();
    fs::write(at("wrong"), "#!/usr/bin/env escript\nmain(_) -> x(.\n").unwrap();
    run(Command::new("cp")
        .arg("-r")
        .arg(at("apps/tool"))
        .arg(at("apps/tool_again")));
    fs::create_dir_all(at("bad/ebin")).unwrap();
    fs::write(at("bad/ebin/bad.app"), "{application, bad").unwrap();
    let before = fs::read_dir(folder.path()).unwrap().count();
    for (name, complaint) in [
        ("nothing", "No such file"),
        ("empty", "neither a release nor an application"),
        ("text", "neither a release nor an escript"),
        ("wrong", "neither a release nor an escript that compiles"),
        ("apps", "there twice"),
        ("bad", "it is no .app file"),
    ] {
        let (status, _, errors) = pack(otp, &[&at(name), Path::new("-o"), &at("out")]);
        assert!(
            status == Some(1) && errors.contains(complaint),
            "{name}: {errors}"
        );
        assert!(!at("out").exists());
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), before);
}
