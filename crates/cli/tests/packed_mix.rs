//! Releases of mix in one file, beside the same releases on stock's emulator. Left out where there is no mix.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

#[path = "releases/made.rs"]
mod made;
use made::{Ended, ended, left_out, may_mount, packed, run, text};

/// The system's mix runs on this OTP.
fn otp() -> &'static stock::Otp {
    stock::otp()
}

/// The service of `packaging/releases/svc` as a release in a folder, with more variables for `mix release`; `None`
/// without mix.
fn service(folder: &Path, variables: &[(&str, &str)]) -> Option<PathBuf> {
    let mix = Command::new("mix").arg("--version").output();
    if !mix.is_ok_and(|mix| mix.status.success()) {
        left_out("packed releases of mix: there is no mix here");
        return None;
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packaging/releases/svc");
    let project = folder.join("project");
    run(Command::new("cp").arg("-r").arg(source).arg(&project));
    let release = folder.join("plain");
    run(Command::new("mix")
        .args(["release", "--quiet", "--path"])
        .arg(&release)
        .current_dir(&project)
        .env("MIX_ENV", "prod")
        .env("HOME", folder)
        .envs(variables.iter().copied()));
    Some(release)
}

/// A service that is asked by its commands: a packed file, or the script of a plain release.
struct Service<'a> {
    program: PathBuf,
    folder: &'a Path,
    port: u16,
    node: Option<Child>,
}

impl<'a> Service<'a> {
    fn new(program: PathBuf, folder: &'a Path) -> Service<'a> {
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        Service {
            program,
            folder,
            port: free.local_addr().unwrap().port(),
            node: None,
        }
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(words)
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("LANG", "C.UTF-8")
            .env("HOME", self.folder)
            .env("TMPDIR", self.folder)
            .env("ERL_EPMD_PORT", self.port.to_string())
            .env("RELEASE_COOKIE", "c")
            .env("PORT", "4711")
            .stdin(Stdio::null());
        command
    }

    fn ask(&self, words: &[&str]) -> Ended {
        ended(&self.command(words).output().unwrap())
    }

    fn start(&mut self) {
        let quiet = fs::File::create(self.folder.join("said")).unwrap();
        self.node = Some(self.command(&["start"]).stdout(quiet).spawn().unwrap());
        self.wait();
    }

    fn wait(&self) {
        let end = Instant::now() + Duration::from_secs(90);
        while self.ask(&["rpc", "1"]).0 != Some(0) {
            assert!(Instant::now() < end, "the node does not answer");
            thread::sleep(Duration::from_millis(100));
        }
    }

    /// The status of the node's end.
    fn end(&mut self) -> Option<i32> {
        self.node.take().unwrap().wait().unwrap().code()
    }
}

impl Drop for Service<'_> {
    fn drop(&mut self) {
        if let Some(node) = &mut self.node {
            let _ = node.kill();
            let _ = node.wait();
        }
        let _ = Command::new("epmd")
            .args(["-port", &self.port.to_string(), "-kill"])
            .output();
    }
}

/// A text without what differs from run to run.
fn plain(text: &str, roots: &[&Path]) -> String {
    let mut text = text.to_owned();
    for root in roots {
        text = text.replace(root.to_str().unwrap(), "ROOT");
    }
    let lines = text.lines().map(|line| {
        // rpc-1a2b-svc: four digits by chance.
        let line =
            ["rpc-", "rem-"]
                .iter()
                .fold(line.to_owned(), |line, kind| match line.find(kind) {
                    Some(place) if line[place + 8..].starts_with('-') => {
                        format!("{}{kind}RAND{}", &line[..place], &line[place + 8..])
                    }
                    _ => line,
                });
        match line.bytes().all(|byte| byte.is_ascii_digit()) && !line.is_empty() {
            true => "NUMBER".to_owned(),
            false => line,
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn the_words_of_each_command_are_those_of_the_scripts() {
    let folder = tempfile::tempdir().unwrap();
    let Some(release) = service(folder.path(), &[]) else {
        return;
    };
    let path = folder.path().join("packed");
    packed(otp(), &release, &path);
    let script = Service::new(release.join("bin/svc"), folder.path());
    let file = Service::new(path.clone(), folder.path());
    let other = folder.path().join("other.args");
    fs::write(&other, "-kernel other 1\n").unwrap();
    let commands: &[&[&str]] = &[
        &["start"],
        &["start_iex"],
        &["eval", "IO.puts 1"],
        &["eval", "1", "more"],
        &["rpc", "IO.puts 1"],
        &["remote"],
        &["restart"],
        &["stop"],
        &["pid"],
    ];
    let variables: &[&[(&str, &str)]] = &[
        &[],
        &[("RELEASE_DISTRIBUTION", "none")],
        &[
            ("RELEASE_DISTRIBUTION", "name"),
            ("RELEASE_NODE", "a@127.0.0.1"),
        ],
        &[
            ("RELEASE_BOOT_SCRIPT", "start_clean"),
            ("RELEASE_MODE", "interactive"),
        ],
        &[("RELEASE_NAME", "other"), ("RELEASE_COOKIE", "")],
        &[
            ("RELEASE_VM_ARGS", other.to_str().unwrap()),
            ("RELEASE_SYS_CONFIG", "/nowhere/sys"),
        ],
    ];
    for variables in variables {
        for command in commands {
            // The launcher prints the words and starts nothing.
            let said = |service: &Service| {
                let output = service
                    .command(command)
                    .envs(variables.iter().copied())
                    .env(
                        "ELIXIR_ERL_OPTIONS",
                        "-kernel also 1 -emu_args_exit -start_epmd false",
                    )
                    .output()
                    .unwrap();
                let port = service.port.to_string();
                let words = plain(&text(&output.stdout), &[&release, &path]);
                let words = words.replace(&port, "PORT").replace("NUMBER", "PORT");
                // The name by which nodes start others is this file's.
                words
                    .replace("-progname\nROOT\n", "-progname\nerl\n")
                    .replace("0.1.0/../../", "")
            };
            assert_eq!(said(&file), said(&script), "{command:?}, {variables:?}");
        }
    }
    for words in [&["eval"][..], &["rpc"], &["nothing"]] {
        assert_eq!(file.ask(words).0, script.ask(words).0, "{words:?}");
    }
    assert_eq!(file.ask(&["version"]), script.ask(&["version"]));
}

/// What a service says to its commands while it runs.
fn say(service: &mut Service, roots: &[&Path]) -> Vec<(String, Ended)> {
    let mut said = Vec::new();
    let mut ask = |service: &Service, words: &[&str]| {
        let (status, out, errors) = service.ask(words);
        let answer = (status, plain(&out, roots), plain(&errors, roots));
        said.push((words.join(" "), answer));
    };
    ask(service, &["rpc", "IO.puts 1"]);
    ask(
        service,
        &[
            "eval",
            "IO.inspect {Svc.Counter, node(), System.get_env(\"RELEASE_COMMAND\")}",
        ],
    );
    ask(service, &["eval", "System.halt(7)"]);
    ask(service, &["eval", "raise \"no\""]);
    ask(
        service,
        &["eval", "IO.inspect Application.get_env(:svc, :port)"],
    );
    service.start();
    for _ in 0..2 {
        ask(service, &["rpc", "IO.inspect {:count, Svc.Counter.next()}"]);
    }
    for words in [
        "IO.inspect Application.get_env(:svc, :port)",
        "IO.inspect {node(), Node.get_cookie(), :code.get_mode(), System.get_env(\"RELEASE_ROOT\")}",
        "IO.inspect {System.argv(), System.get_env(\"RELEASE_NODE\"), File.exists?(Application.app_dir(:svc))}",
        "IO.inspect Enum.sort(Enum.map(Application.started_applications(), &elem(&1, 0)))",
        "raise \"no\"",
    ] {
        ask(service, &["rpc", words]);
    }
    ask(service, &["pid"]);
    ask(service, &["restart"]);
    thread::sleep(Duration::from_secs(2));
    service.wait();
    ask(service, &["rpc", "IO.inspect {:count, Svc.Counter.next()}"]);
    ask(service, &["stop"]);
    said.push((
        "ended".to_owned(),
        (service.end(), String::new(), String::new()),
    ));
    said
}

#[test]
fn a_service_says_what_it_says_on_stock() {
    for variables in [&[][..], &[("SVC_REBOOT", "yes")]] {
        let folder = tempfile::tempdir().unwrap();
        let Some(release) = service(folder.path(), variables) else {
            return;
        };
        let path = folder.path().join("packed");
        packed(otp(), &release, &path);
        let roots: &[&Path] = &[&release, &path];
        let on_stock = say(
            &mut Service::new(release.join("bin/svc"), folder.path()),
            roots,
        );
        let in_one_file = say(&mut Service::new(path.clone(), folder.path()), roots);
        assert_eq!(in_one_file, on_stock, "{variables:?}");
        // What configuration providers write is where only this user can read it.
        let user = fs::metadata(folder.path()).unwrap().uid();
        let private = folder.path().join(format!("svc-{user}"));
        assert_eq!(private.is_dir(), !variables.is_empty());
        for file in fs::read_dir(private).into_iter().flatten() {
            assert_eq!(file.unwrap().metadata().unwrap().mode() & 0o077, 0);
        }
    }
}

#[test]
fn env_sh_counts_with_a_shell_and_without() {
    let folder = tempfile::tempdir().unwrap();
    let Some(release) = service(folder.path(), &[]) else {
        return;
    };
    let path = folder.path().join("packed");
    let ask = |env_sh: &str, variables: &[(&str, &str)]| {
        fs::write(release.join("releases/0.1.0/env.sh"), env_sh).unwrap();
        packed(otp(), &release, &path);
        let told =
            "IO.inspect Enum.map(~w(ONE TWO RELEASE_NAME RELEASE_COMMAND), &System.get_env/1)";
        let answer = |program: &Path| {
            let service = Service::new(program.to_owned(), folder.path());
            ended(
                &service
                    .command(&["eval", told])
                    .envs(variables.iter().copied())
                    .output()
                    .unwrap(),
            )
        };
        (answer(&path), answer(&release.join("bin/svc")))
    };
    for env_sh in [
        "#!/bin/sh\n# nothing\n",
        "export ONE=\"${HOME}/1\"\nTWO='a b'\nexport TWO\n",
        "case $RELEASE_COMMAND in\n  eval) export ONE=$(echo \"a b\");;\nesac\nexport TWO=${RELEASE_NAME}\n",
    ] {
        let (packed, plain) = ask(env_sh, &[]);
        assert_eq!(packed, plain, "{env_sh}");
        assert_eq!(packed.0, Some(0), "{env_sh}: {}", packed.2);
    }
    let (packed, plain) = ask("exit 9\n", &[]);
    assert_eq!((packed.0, plain.0), (Some(9), Some(9)));
    let (packed, _) = ask("exit 9\n", &[("FERL_ENV_SH", "skip")]);
    assert_eq!(packed.0, Some(0));
}

#[test]
fn a_full_place_for_the_configuration_is_told_of_and_nothing_is_left() {
    if !may_mount("packed releases of mix in full places") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let Some(release) = service(folder.path(), &[("SVC_REBOOT", "yes")]) else {
        return;
    };
    let path = folder.path().join("packed");
    packed(otp(), &release, &path);
    let script = "mount -t tmpfs -o size=64k none /mnt\nhead -c 64k /dev/zero > /mnt/full\n\
                  for command in start daemon; do\n\
                  RELEASE_TMP=/mnt PORT=4711 \"$1\" $command || echo \"status $?\"\nfind /mnt\ndone";
    let output = Command::new("unshare")
        .args(["-m", "sh", "-euc", script, "sh"])
        .arg(&path)
        .output();
    let (_, said, errors) = ended(&output.unwrap());
    let once = "status 1\n/mnt\n/mnt/full\n";
    assert_eq!(said, once.repeat(2), "{errors}");
    let told = "No space left on device (os error 28). Make room for it, or name another folder by RELEASE_TMP.";
    assert_eq!(errors.matches(told).count(), 2, "{errors}");
}
