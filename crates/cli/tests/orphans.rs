//! A node that is the first process of a container, or a subreaper, gets the processes whose parents have ended. It
//! leaves no zombies of them, and takes no status that somebody else here waits for.

use std::os::unix::process::CommandExt;
use std::process::Command;

/// Starts fifty orphans and says how many came to this node, which are still there after their end, and how programs
/// ended that ports had started meanwhile.
const PROGRAM: &str = r#"
    Own = list_to_binary(os:getpid()),
    %% The states of this node's children that run `sleep`, as in `12 (sleep) Z 1 ...`.
    States = fun() ->
        [State || File <- filelib:wildcard("/proc/[0-9]*/stat"), {ok, Line} <- [file:read_file(File)],
            [_, Rest] <- [binary:split(Line, <<" (sleep) ">>)], [State, Parent | _] <- [binary:split(Rest, <<" ">>, [global])],
            Parent =:= Own]
    end,
    [os:cmd("(sleep 6 &) > /dev/null 2>&1") || _ <- lists:seq(1, 50)],
    Came = length(States()),
    Ports = [{open_port({spawn, "sh -c 'sleep 6; exit " ++ integer_to_list(N) ++ "'"}, [exit_status]), N}
        || N <- [0, 7, 200]],
    Exits = [receive {Port, {exit_status, Exit}} -> Exit end || {Port, _} <- Ports],
    Left = fun
        Again(0) -> States();
        Again(Times) -> case States() of [] -> []; _ -> timer:sleep(50), Again(Times - 1) end
    end,
    io:format("~p orphans came, ~0p left, ports ~0p~n", [Came, Left(100), Exits]),
    halt().
"#;

const EXPECTED: &str = "50 orphans came, [] left, ports [0,7,200]\n";

fn expect_none_left(mut command: Command) {
    command
        .envs(stock::otp().environment())
        .args(["-noshell", "-eval", PROGRAM]);
    let output = command.output().expect("a node that can be started");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert_eq!(
        (text(&output.stdout), text(&output.stderr)),
        (EXPECTED.to_string(), String::new())
    );
}

#[test]
fn a_subreaper_leaves_no_zombies() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ferl"));
    let become_subreaper = || {
        // SAFETY: takes plain numbers.
        match unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1) } {
            0 => Ok(()),
            _ => Err(std::io::Error::last_os_error()),
        }
    };
    // SAFETY: one system call, in a child that executes another program next, which stays a subreaper.
    unsafe { command.pre_exec(become_subreaper) };
    expect_none_left(command);
}

/// Only where a namespace of processes can be made.
#[test]
fn the_first_process_of_a_namespace_leaves_no_zombies() {
    let apart = ["--pid", "--fork", "--mount-proc"];
    let can = Command::new("unshare").args(apart).arg("true").output();
    if !can.is_ok_and(|output| output.status.success()) {
        eprintln!("left out: no namespace of processes can be made here (`unshare --pid` as root)");
        return;
    }
    let mut command = Command::new("unshare");
    command.args(apart).arg(env!("CARGO_BIN_EXE_ferl"));
    expect_none_left(command);
}
