//! Releases whose emulator is ferl: `ferl erts`, beside the same releases on stock.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use stock::Otp;

#[path = "releases/made.rs"]
mod made;
use made::{FERL, MAKE, erts_bin, may_mount, run, text, write_script};

/// A release with the emulator from `erts_root`, and with a start script as tools write it.
fn release(otp: &Otp, folder: &Path, erts_root: &Path) -> std::path::PathBuf {
    let release = made::release(otp, folder, erts_root);
    write_script(&erts_bin(&release).join("erl"));
    release
}

/// What a release says about itself.
const TELL: &str = r#"
    Machine = try erlang:system_info({ferl, memory_guard}) of _ -> ferl catch _:_ -> stock end,
    io:format("~p~n~p~n", [Machine, {
        code:root_dir(), init:get_argument(progname), init:get_argument(bindir), os:getenv("BINDIR"),
        erlang:system_info(version), lists:sort(erlang:pre_loaded()), init:script_id(),
        [Name || {Name, _, _} <- lists:sort(application:which_applications())],
        code:which(erl_prim_loader), filename:basename(code:which(lists)),
        filelib:is_file(code:root_dir() ++ "/releases/1/start.boot")}]),
    halt(3)."#;

/// The machine that a release says it runs on, and what else it says, without the folder that it is in.
fn tell(release: &Path) -> (String, String) {
    let output = Command::new(erts_bin(release).join("erl"))
        .args(["-noshell", "-boot"])
        .arg(release.join("releases/1/start"))
        .args(["-eval", TELL])
        .env_remove("FERL_OTP")
        .env("ROOTDIR", "/nowhere")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}{errors}");
    let (machine, rest) = said.split_once('\n').expect("two lines");
    let place = release.canonicalize().unwrap();
    (
        machine.to_owned(),
        rest.replace(place.to_str().unwrap(), "ROOT"),
    )
}

/// `ferl erts` with these words, on the libraries of an OTP.
fn ferl_erts(otp: &Otp, words: &[&Path]) -> Output {
    Command::new(FERL)
        .arg("erts")
        .args(words)
        .env("FERL_OTP", &otp.root)
        .output()
        .unwrap()
}

#[test]
fn a_release_made_with_the_folder_runs_on_ferl_and_says_what_stock_says() {
    for otp in made::otps() {
        let folder = tempfile::tempdir().unwrap();
        let made = folder.path().join("made");
        let output = ferl_erts(&otp, &[&made]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let erts = erts_bin(&made);
        assert!(text(&output.stdout).contains(erts.parent().unwrap().to_str().unwrap()));
        let on_ferl = release(&otp, &folder.path().join("on-ferl"), &made);
        let on_stock = release(&otp, &folder.path().join("on-stock"), &otp.root);
        let (machine, said) = tell(&on_ferl);
        let (stock_machine, stock_said) = tell(&on_stock);
        assert_eq!(
            (&*machine, &*stock_machine),
            ("ferl", "stock"),
            "OTP {}",
            otp.release
        );
        assert_eq!(said, stock_said, "OTP {}", otp.release);
        // The folder is the root of an OTP itself.
        let own = Command::new(made.join("bin/erl"))
            .args(["-noshell", "-eval", TELL])
            .output()
            .unwrap();
        assert!(
            text(&own.stdout).starts_with("ferl\n"),
            "{}",
            text(&own.stderr)
        );
    }
}

#[test]
fn a_release_that_exists_takes_ferl_and_goes_back_to_stock() {
    let otp = stock::otp();
    let folder = tempfile::tempdir().unwrap();
    let release = release(otp, folder.path(), &otp.root);
    let (machine, on_stock) = tell(&release);
    assert_eq!(machine, "stock");
    for (flag, machine) in [
        ("--replace", "ferl"),
        ("--replace", "ferl"),
        ("--restore", "stock"),
    ] {
        let output = ferl_erts(otp, &[Path::new(flag), &release]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert_eq!(
            tell(&release),
            (machine.to_owned(), on_stock.clone()),
            "{flag}"
        );
    }
    let again = ferl_erts(otp, &[Path::new("--restore"), &release]);
    assert_eq!(again.status.code(), Some(1));
    assert!(
        text(&again.stderr).contains("was not used"),
        "{}",
        text(&again.stderr)
    );
}

/// Users put ferl there by hand: it finds the release that it is in, and the modules to start with in stock's emulator.
#[test]
fn ferl_in_place_of_the_start_script_boots_the_release() {
    let otp = stock::otp();
    let folder = tempfile::tempdir().unwrap();
    let release = release(otp, folder.path(), &otp.root);
    let erl = erts_bin(&release).join("erl");
    fs::remove_file(&erl).unwrap();
    fs::copy(FERL, &erl).unwrap();
    let (machine, said) = tell(&release);
    assert_eq!(machine, "ferl");
    assert!(said.contains("{\"ROOT\","), "{said}");
}

#[test]
fn a_node_on_ferl_says_that_it_copies_the_emulator_of_stock() {
    let otp = stock::otp();
    let folder = tempfile::tempdir().unwrap();
    let run = |root: &Path| {
        let output = Command::new(FERL)
            .current_dir(folder.path())
            .args(["-noshell", "-eval", MAKE, "-extra"])
            .arg(root)
            .env("FERL_OTP", &otp.root)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stderr)
    };
    assert_eq!(run(&otp.root).matches("ferl erts --replace").count(), 1);
    let made = folder.path().join("made");
    assert!(ferl_erts(otp, &[&made]).status.success());
    assert_eq!(run(&made), "");
}

#[test]
fn what_cannot_be_a_release_is_refused_and_left_alone() {
    let otp = stock::otp();
    let folder = tempfile::tempdir().unwrap();
    let empty = folder.path().join("empty");
    fs::create_dir(&empty).unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "text").unwrap();
    let mine = folder.path().join("mine");
    let old = mine.join(format!("erts-{}", otp_version(otp)));
    fs::create_dir_all(old.join("bin")).unwrap();
    for (words, complaint) in [
        (
            &[Path::new("--replace"), &empty][..],
            "cannot tell which OTP",
        ),
        (&[Path::new("--replace"), &file], "is not a folder"),
        (
            &[Path::new("--restore"), Path::new("/nowhere")],
            "is not a folder",
        ),
        (&[&mine], "is there already"),
        (&[&file], "file"),
    ] {
        let output = ferl_erts(otp, words);
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{words:?}: {errors}");
        assert!(errors.contains(complaint), "{words:?}: {errors}");
    }
    // No hint how to find another OTP: this release is meant.
    for (version, complaint) in [
        (
            "12.3",
            "holds OTP 24, which this version of ferl cannot boot; it boots OTP 25, 27, 29\n",
        ),
        (
            "20.0",
            "holds OTP 32, which this version of ferl does not know yet; it boots OTP 25, 27, 29\n",
        ),
    ] {
        let other = folder.path().join(version);
        fs::create_dir_all(other.join(format!("erts-{version}/bin"))).unwrap();
        fs::create_dir_all(other.join("releases")).unwrap();
        fs::create_dir_all(other.join("lib")).unwrap();
        let output = ferl_erts(otp, &[Path::new("--replace"), &other]);
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{errors}");
        assert!(errors.ends_with(complaint), "{errors}");
    }
    assert_eq!(ferl_erts(otp, &[]).status.code(), Some(2));
    assert_eq!(fs::read_dir(&mine).unwrap().count(), 1);
    assert_eq!(fs::read_dir(&empty).unwrap().count(), 0);
}

/// Where there is no space, nothing is left and the release is as it was.
#[test]
fn without_space_nothing_is_half_written() {
    if !may_mount("`ferl erts` without space") {
        return;
    }
    let otp = stock::otp();
    let folder = tempfile::tempdir().unwrap();
    let release = made::release(otp, folder.path(), &otp.root);
    let script = r#"
        mount -t tmpfs none /mnt && cp -r "$2" /mnt/release && cd /mnt
        full=$(($(du -sk /mnt | cut -f 1) + 2048))
        mount -o remount,size="$full"k /mnt
        sums() { find . -type f -exec md5sum {} + | sort -k 2; }
        before=$(sums)
        "$1" erts --replace release && exit 3
        "$1" erts made && exit 4
        [ "$(sums)" = "$before" ] && ls
    "#;
    let output = Command::new("unshare")
        .args(["-m", "sh", "-c", script, "sh", FERL])
        .arg(&release)
        .env("FERL_OTP", &otp.root)
        .output()
        .unwrap();
    let errors = text(&output.stderr);
    let said = (output.status.code(), text(&output.stdout));
    assert_eq!(said, (Some(0), "release\n".to_owned()), "{errors}");
    assert_eq!(errors.matches("No space left").count(), 2, "{errors}");
}

/// The version of an OTP's emulator.
fn otp_version(otp: &Otp) -> String {
    let output = run(Command::new(&otp.erl).args([
        "-noshell",
        "-eval",
        "io:put_chars(erlang:system_info(version)), halt().",
    ]));
    text(&output.stdout)
}

#[test]
fn ferl_tells_about_itself_without_an_otp() {
    let folder = tempfile::tempdir().unwrap();
    let say = |word: &str| {
        let output = Command::new(FERL)
            .arg(word)
            .env_clear()
            .env("FERL_OTP", folder.path())
            .output()
            .unwrap();
        (
            output.status.code(),
            text(&output.stdout),
            text(&output.stderr),
        )
    };
    for word in ["help", "--help"] {
        let (code, said, _) = say(word);
        assert!(
            code == Some(0) && said.contains("ferl lab") && said.contains("ferl erts"),
            "{said}"
        );
    }
    let version = format!("ferl {}\n", env!("CARGO_PKG_VERSION"));
    for word in ["version", "--version", "-version", "+V"] {
        assert_eq!(
            say(word),
            (Some(0), version.clone(), String::new()),
            "{word}"
        );
    }
    assert!(say("+help").1.contains("+S"));
    let (code, said, complaint) = say("-noshell");
    assert!(
        code == Some(1) && said.is_empty() && complaint.contains("does not contain OTP"),
        "{complaint}"
    );
}
