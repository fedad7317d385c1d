//! Releases in one file: how they start, and how they are asked while they run.

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

#[path = "releases/made.rs"]
mod made;
use made::{Ended, app, ended, packed, text};

/// What a packed release sees of its own files, of the system's, and of libraries and programs that it carries.
const LOOK_AROUND: &str = r#"
    Root = code:root_dir(),
    Inside = fun(Name) -> filename:join(Root, Name) end,
    {ok, Top} = file:list_dir(Inside(".")),
    {ok, Start} = file:read_file(Inside("releases/start_erl.data")),
    {ok, Opened} = file:open(Inside("releases/../releases/./start_erl.data"), [read, raw, binary]),
    Version = erlang:system_info(version),
    Hash = try crypto:hash(md5, <<"abc">>) of <<16#90, _/binary>> -> good catch error:undef -> good end,
    io:format("~0p~n", [{
        lists:sort([Name || Name <- Top, not lists:prefix("erts-", Name)]),
        Start =:= list_to_binary(Version ++ " 1\n"), file:pread(Opened, 0, 2) =:= {ok, binary:part(Start, 0, 2)},
        element(3, element(2, file:read_file_info(Inside("lib")))), filelib:is_dir(Inside("nothing")),
        file:write_file(Inside("lib/new"), ""), file:open(Inside("releases/start_erl.data"), [write]),
        file:make_dir(Inside("new")), file:delete(Inside("releases/start_erl.data")), file:read_link(Inside("lib")),
        file:read_file(Inside("lib")), file:read_file(Inside("nothing")), file:list_dir(Inside("nothing")),
        Hash, element(1, inet_gethost_native:gethostbyname("localhost")),
        length(filelib:wildcard(Inside("lib/stdlib-*/ebin/lists.beam"))), code:which(lists) =/= non_existing,
        element(1, inet:gethostbyname("127.0.0.1"))}]),
    halt(3)."#;

#[test]
fn a_release_in_one_file_runs_where_there_is_no_otp() {
    for otp in made::otps() {
        let folder = tempfile::tempdir().unwrap();
        let release = made::release(&otp, folder.path(), &otp.root);
        fs::write(
            release.join("releases/1/vm.args"),
            "# Flags of the release.\n-eval 'io:format(\"~p~n\", [init:get_plain_arguments()]), halt(4).'\n",
        )
        .unwrap();
        let path = folder.path().join("an app ü");
        packed(&otp, &release, &path);
        fs::remove_dir_all(&release).unwrap();
        let run = |words: &[&str]| {
            let (code, said, errors) = ended(&app(&path).args(words).output().unwrap());
            (code, said.replace(path.to_str().unwrap(), "APP"), errors)
        };
        assert_eq!(
            run(&["version"]),
            (Some(0), "1\n".to_owned(), String::new())
        );
        for words in [
            &["start", "a", "-b"][..],
            &["--", "a", "-b"],
            &["foreground", "a", "-b"],
        ] {
            let expected = (Some(4), "[\"a\",\"-b\"]\n".to_owned(), String::new());
            assert_eq!(run(words), expected, "OTP {}: {words:?}", otp.release);
        }
        let (code, said, errors) = run(&["erl", "-noshell", "-eval", LOOK_AROUND]);
        assert_eq!(
            (code, said),
            (Some(3), format!("{SEEN}\n")),
            "OTP {}: {errors}",
            otp.release
        );
        let (code, _, errors) = run(&["strat"]);
        assert!(
            code == Some(1) && errors.contains("there is no command strat"),
            "{errors}"
        );
        let (code, _, errors) = run(&["ping"]);
        assert!(
            code == Some(1) && errors.contains("neither -name nor -sname"),
            "{errors}"
        );
    }
}

/// What [`LOOK_AROUND`] prints.
const SEEN: &str = "{[\"bin\",\"ferl-pack\",\"lib\",\"releases\"],true,true,directory,false,{error,erofs},{error,erofs},\
                    {error,enotdir},{error,enotdir},{error,einval},{error,eisdir},{error,enoent},{error,enoent},good,ok,1,\
                    true,ok}";

/// The templates of a release whose node is named by variables.
const VM_ARGS: &str = "-sname ${NODE:-packed}\n-setcookie ${COOKIE}\n-kernel logger_level error\n";
const SYS_CONFIG: &str = "[{kernel, [{told, \"${TOLD}\"}]}].\n";

/// A release that runs, with a port mapper of its own.
struct Running<'a> {
    app: &'a Path,
    home: &'a Path,
    port: u16,
    node: Option<Child>,
}

impl<'a> Running<'a> {
    fn new(app: &'a Path, home: &'a Path) -> Running<'a> {
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        Running {
            app,
            home,
            port: free.local_addr().unwrap().port(),
            node: None,
        }
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = app(self.app);
        command
            .args(words)
            .env("HOME", self.home)
            .env("TMPDIR", self.home)
            .env("ERL_EPMD_PORT", self.port.to_string())
            .env("COOKIE", "c")
            .env("TOLD", "so");
        command
    }

    fn ask(&self, words: &[&str]) -> Ended {
        ended(&self.command(words).stdin(Stdio::null()).output().unwrap())
    }

    fn await_node(&self) {
        let end = Instant::now() + Duration::from_secs(60);
        while self.ask(&["ping"]).0 != Some(0) {
            assert!(Instant::now() < end, "the node does not answer");
            thread::sleep(Duration::from_millis(100));
        }
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        if let Some(node) = &mut self.node {
            let _ = node.kill();
            let _ = node.wait();
        }
        // The port mapper that it started.
        let ask = "case gen_tcp:connect(\"127.0.0.1\", list_to_integer(os:getenv(\"ERL_EPMD_PORT\")), [binary]) of \
                   {ok, Socket} -> gen_tcp:send(Socket, <<1:16, $k>>), receive _ -> ok after 2000 -> ok end; _ -> ok \
                   end, halt().";
        let _ = self.command(&["erl", "-noshell", "-eval", ask]).output();
    }
}

#[test]
fn a_running_release_is_asked_by_its_file() {
    for otp in made::otps() {
        let folder = tempfile::tempdir().unwrap();
        let release = made::release(&otp, folder.path(), &otp.root);
        for (name, text) in [("vm.args.src", VM_ARGS), ("sys.config.src", SYS_CONFIG)] {
            fs::write(release.join("releases/1").join(name), text).unwrap();
        }
        let path = folder.path().join("app");
        packed(&otp, &release, &path);
        let mut running = Running::new(&path, folder.path());
        let place = format!("OTP {}", otp.release);
        let not_running = || (Some(1), "Node is not running!\n".to_owned(), String::new());
        assert_eq!(running.ask(&["ping"]), not_running(), "{place}");
        assert_eq!(running.ask(&["eval", "1."]), not_running(), "{place}");
        running.node = Some(running.command(&["start", "given"]).spawn().unwrap());
        running.await_node();
        let said = |text: &str| (Some(0), format!("{text}\n"), String::new());
        assert_eq!(running.ask(&["ping"]), said("pong"), "{place}");
        let pid = running.node.as_ref().unwrap().id();
        assert_eq!(running.ask(&["pid"]), said(&pid.to_string()), "{place}");
        for (words, answer) in [
            (&["eval", "A = 1, {A, b}."][..], "{1, b}"),
            (&["eval", "lists:sum([1,", "2])."], "3"),
            (&["rpc", "lists", "reverse", "[[a,b]]"], "[b, a]"),
            (&["rpc", "init", "get_plain_arguments", "[]"], "[\"given\"]"),
            (
                &["eval", "application:get_env(kernel, told)."],
                "{ok, \"so\"}",
            ),
        ] {
            assert_eq!(running.ask(words), said(answer), "{place}: {words:?}");
        }
        // What goes wrong there is what fails here.
        assert_ne!(running.ask(&["rpc", "nowhere", "nothing"]).1, said("").1);
        // Another cookie is not let in.
        let other = running
            .command(&["ping"])
            .env("COOKIE", "d")
            .output()
            .unwrap();
        assert_eq!(
            other.status.code(),
            Some(1),
            "{place}: {}",
            text(&other.stderr)
        );
        // A restart keeps the process.
        assert_eq!(running.ask(&["restart"]).0, Some(0), "{place}");
        thread::sleep(Duration::from_secs(1));
        running.await_node();
        assert_eq!(running.ask(&["pid"]), said(&pid.to_string()), "{place}");
        assert_eq!(
            running.ask(&["stop"]),
            (Some(0), String::new(), String::new()),
            "{place}"
        );
        let status = running.node.take().unwrap().wait().unwrap();
        assert_eq!(status.code(), Some(0), "{place}");
        assert_eq!(running.ask(&["ping"]), not_running(), "{place}");
        let (code, _, errors) = running.ask(&["upgrade", "2"]);
        assert!(
            code == Some(1) && errors.contains("put another file"),
            "{errors}"
        );
    }
}

#[test]
fn a_release_in_the_background_has_pipes_and_a_log() {
    let otp = stock::otp();
    let folder = tempfile::tempdir().unwrap();
    let release = made::release(otp, folder.path(), &otp.root);
    fs::write(
        release.join("releases/1/vm.args"),
        "-sname packed_daemon\n-setcookie c\n",
    )
    .unwrap();
    let path = folder.path().join("app");
    packed(otp, &release, &path);
    let running = Running::new(&path, folder.path());
    assert_eq!(running.ask(&["daemon", "it's"]).0, Some(0));
    running.await_node();
    let arguments = running.ask(&["rpc", "init", "get_plain_arguments", "[]"]);
    assert_eq!(arguments.1, "[\"it's\"]\n");
    let user = text(&Command::new("id").arg("-u").output().unwrap().stdout);
    let below = folder.path().join(format!("r-{}", user.trim()));
    for name in ["pipe/erlang.pipe.1.r", "log/run_erl.log"] {
        assert!(below.join(name).exists(), "{name}");
    }
    assert_eq!(running.ask(&["stop"]).0, Some(0));
}
