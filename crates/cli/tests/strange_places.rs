//! ferl, and the OTP that it boots, in folders whose names have spaces and letters beyond ASCII; and in folders that
//! may not be read.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// What a node starts, and what becomes of it.
const STARTS: &str = r#"
    IsFerl = fun(Node) -> is_map(rpc:call(Node, erlang, system_info, [{ferl, memory_guard}])) end,
    Name = fun(Prefix) -> list_to_atom(Prefix ++ os:getpid()) end,
    {ok, Peer, Beside} = peer:start(#{name => Name("peer"), host => "127.0.0.1", longnames => true}),
    io:format("peer ~p~n", [IsFerl(Beside)]),
    peer:stop(Peer),
    {ok, Other, Piped} = peer:start(#{name => Name("piped"), host => "127.0.0.1", longnames => true,
                                      connection => standard_io}),
    io:format("piped ~p~n", [peer:call(Other, erlang, node, []) =:= Piped andalso IsFerl(Piped)]),
    peer:stop(Other),
    {ok, Slave} = slave:start("127.0.0.1", Name("slave")),
    io:format("slave ~p~n", [IsFerl(Slave)]),
    slave:stop(Slave),
    {ok, _} = inet_gethost_native:gethostbyname("localhost"),
    Call = filename:join([code:root_dir(), "bin", "erl_call"]),
    Said = case filelib:is_file(Call) of
        true ->
            Asked = open_port({spawn_executable, Call}, [exit_status, in, {args, ["-name",
                atom_to_list(node()), "-a", "erlang node"]}]),
            (fun Read(Text) -> receive
                {Asked, {data, More}} -> Read(Text ++ More);
                {Asked, {exit_status, Status}} -> {Status, Text}
            end end)([]);
        false -> {0, lists:flatten(io_lib:format("~p", [node()]))}
    end,
    io:format("erl_call ~p ~p~n", [Said =:= {0, lists:flatten(io_lib:format("~p", [node()]))}, Said]),
    io:format("heart ~p~n", [heart:get_cmd()]),
    erlang:halt(3)."#;

struct Place {
    folder: TempDir,
    ferl: PathBuf,
    otp: PathBuf,
}

impl Place {
    /// ferl and an OTP (of links) in such folders.
    fn new() -> Place {
        let folder = tempfile::tempdir().unwrap();
        let bin = folder.path().join("a föl der/ß bin");
        let otp = folder.path().join("Ö t p/lib/erlang");
        fs::create_dir_all(&bin).unwrap();
        fs::create_dir_all(&otp).unwrap();
        let ferl = bin.join("ein férl");
        let built = Path::new(env!("CARGO_BIN_EXE_ferl"));
        if fs::hard_link(built, &ferl).is_err() {
            fs::copy(built, &ferl).unwrap();
        }
        for entry in fs::read_dir(&stock::otp().root).unwrap() {
            let entry = entry.unwrap();
            symlink(entry.path(), otp.join(entry.file_name())).unwrap();
        }
        Place { folder, ferl, otp }
    }

    /// What a run says, and its status. Its output goes to a file: heart has a pipe open for longer than the node
    /// lives, and waits for somebody to take the node's status.
    fn run(&self, program: &Path, flags: &[&str]) -> (String, Option<i32>) {
        let free = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = free.local_addr().unwrap().port().to_string();
        drop(free);
        let surround = |command: &mut Command| {
            command
                .env("FERL_OTP", &self.otp)
                .env("ERL_EPMD_PORT", &port)
                .env("ERL_EPMD_ADDRESS", "127.0.0.1")
                .env("LC_ALL", "C.UTF-8")
                .env("HOME", self.folder.path())
                .current_dir(self.folder.path());
        };
        let mut command = Command::new(program);
        surround(&mut command);
        let said = self.folder.path().join("said");
        let file = fs::File::create(&said).unwrap();
        command.stdout(file.try_clone().unwrap()).stderr(file);
        let status = command.args(flags).status().unwrap();
        let epmd = stock::otp().epmd().expect("a port mapper");
        let mut end = Command::new(epmd);
        surround(&mut end);
        let _ = end.arg("-kill").output();
        (fs::read_to_string(said).unwrap(), status.code())
    }
}

#[test]
fn nodes_start_their_programs_where_names_have_spaces() {
    let place = Place::new();
    let sign = place.folder.path().join("started again");
    let heart = format!("echo yes > '{}'", sign.display());
    let name = ["-name", "strange@127.0.0.1"];
    let mut flags = vec!["-noshell", "-heart", "-env", "HEART_COMMAND", &heart];
    flags.extend(name);
    flags.extend(["-eval", STARTS]);
    let (said, status) = place.run(&place.ferl, &flags);
    for part in [
        "peer true",
        "piped true",
        "slave true",
        "erl_call true",
        "heart {ok",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert_eq!(status, Some(3), "{said}");
    // heart waits for the node's end before it carries out its command.
    for _ in 0..300 {
        if sign.is_file() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    panic!("heart has not carried out its command: {said}");
}

/// Root may read everything, so there the program runs as another user.
#[test]
fn a_folder_that_may_not_be_read_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let closed = folder.path().join("closed");
    fs::create_dir_all(closed.join("lib")).unwrap();
    fs::create_dir_all(closed.join("releases")).unwrap();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let ferl = folder.path().join("ferl");
    let built = Path::new(env!("CARGO_BIN_EXE_ferl"));
    if fs::hard_link(built, &ferl).is_err() {
        fs::copy(built, &ferl).unwrap();
    }
    let closed_name = closed.to_str().unwrap();
    let out = folder.path().join("out");
    let out = out.to_str().unwrap();
    for words in [
        &["-noshell", "-s", "init", "stop"][..],
        &["pack", closed_name, "-o", out],
        &["erts", "--replace", closed_name],
        &["erts", "--otp", closed_name, out],
    ] {
        // An ordinary user keeps its own number.
        let is_root = fs::read_dir(&closed).is_ok();
        let mut command = match is_root {
            true => {
                let mut command = Command::new("setpriv");
                command
                    .args(["--reuid=65534", "--regid=65534", "--clear-groups"])
                    .arg(&ferl);
                command
            }
            false => Command::new(&ferl),
        };
        command
            .args(words)
            .env("FERL_OTP", &closed)
            .current_dir("/");
        let output = command.output().expect("util-linux has setpriv");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success(), "{words:?}: {said}");
        assert!(
            said.contains(&format!("{closed_name} cannot be read: permission denied")),
            "{words:?}: {said}"
        );
    }
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o700)).unwrap();
}
