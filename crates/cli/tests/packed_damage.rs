//! Packed files that were cut, changed or signed, packing where it cannot be done, and the same bytes from the same
//! input.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use stock::write_program;

#[path = "releases/made.rs"]
mod made;
use made::{FERL, app, ended, left_out, pack, packed, run, text};

fn script(folder: &Path) -> PathBuf {
    let script = folder.join("script");
    fs::write(
        &script,
        "#!/usr/bin/env escript\nmain(_) -> io:format(\"runs~n\").\n",
    )
    .unwrap();
    script
}

fn place_of(bytes: &[u8], part: &[u8]) -> usize {
    let mut parts = bytes.windows(part.len());
    parts.position(|other| other == part).expect("it is there")
}

#[test]
fn what_is_cut_or_changed_does_not_start_and_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let release = made::release(stock::otp(), folder.path(), &stock::otp().root);
    let path = folder.path().join("app");
    packed(stock::otp(), &release, &path);
    let whole = fs::read(&path).unwrap();
    let say = |words: &[&str]| ended(&app(&path).args(words).output().unwrap());
    let (status, said, _) = say(&["--verify"]);
    let sum = text(
        &Command::new("sha256sum")
            .arg(&path)
            .output()
            .unwrap()
            .stdout,
    );
    let sum = sum.split(' ').next().unwrap();
    assert!(
        status == Some(0) && said.contains(&format!("sha256 {sum}\n")),
        "{said}"
    );
    let by_ferl = Command::new(FERL)
        .args(["pack", "--verify"])
        .arg(&path)
        .output();
    assert_eq!(ended(&by_ferl.unwrap()).1, said);

    // The local header of the file in the archive, behind which its contents stand.
    let program_bytes = ship::seal::Seal::of(&whole).unwrap().program_bytes();
    let (program, archive) = whole.split_at(usize::try_from(program_bytes).unwrap());
    let in_archive = program.len() + place_of(archive, b"releases/start_erl.data") + 25;
    let mut changed = whole.clone();
    changed[in_archive] ^= 0x10;
    let cut = &whole[..whole.len() - 1];
    let longer = [&whole[..], b"\n"].concat();
    for (bytes, at_start, verified) in [
        (
            &changed[..],
            "archive was changed",
            "releases/start_erl.data",
        ),
        (cut, "it is cut", "it is cut"),
        (program, "archive is missing", "archive is missing"),
        (&longer, "something was added", "archive"),
    ] {
        write_program(&path, bytes);
        for words in [&["version"][..], &[], &["erl", "-version"]] {
            let (status, said, errors) = say(words);
            assert_eq!((status, &*said), (Some(1), ""), "{words:?}");
            assert!(
                errors.contains(at_start) && errors.lines().count() == 1,
                "{errors}"
            );
        }
        let (status, said, _) = say(&["--verify"]);
        assert!(status == Some(1) && said.contains(verified), "{said}");
    }
    // A change in front of the archive, in the sum itself, does no harm at the start.
    let mut changed = whole.clone();
    changed[place_of(&whole, b"ferl packed file, seal 1") + 50] ^= 1;
    write_program(&path, &changed);
    assert_eq!(say(&["version"]).1, "1\n");
    let (status, said, _) = say(&["--verify"]);
    assert!(
        status == Some(1) && said.contains("the program in front"),
        "{said}"
    );
}

#[test]
fn a_signature_of_openssl_is_verified() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let path = at("app");
    packed(stock::otp(), &script(folder.path()), &path);
    let openssl = |words: &[&str]| {
        let output = Command::new("openssl")
            .args(words)
            .current_dir(folder.path())
            .output();
        output.is_ok_and(|output| output.status.success())
    };
    for name in ["own", "other"] {
        let key = format!("{name}.pem");
        if !openssl(&["genpkey", "-algorithm", "ed25519", "-out", &key]) {
            left_out("signatures of packed files: there is no openssl with Ed25519");
            return;
        }
        assert!(openssl(&[
            "pkey",
            "-in",
            &key,
            "-pubout",
            "-out",
            &format!("{name}.pub")
        ]));
    }
    let sign = "pkeyutl -sign -rawin -inkey own.pem -in app -out app.sig";
    assert!(openssl(&sign.split(' ').collect::<Vec<_>>()));
    let verify = |words: &[&str]| {
        let output = app(&path)
            .arg("--ferl-verify")
            .args(words)
            .current_dir(folder.path())
            .output();
        ended(&output.unwrap())
    };
    let (status, said, _) = verify(&["--key", "own.pub"]);
    assert!(
        status == Some(0) && said.contains("signed by the key in own.pub"),
        "{said}"
    );
    let (status, said, _) = verify(&["--key", "other.pub"]);
    assert!(
        status == Some(1) && said.contains("not that of the key"),
        "{said}"
    );
    let (status, said, _) = verify(&["--key", "own.pub", "--signature", "nowhere"]);
    assert!(status == Some(1) && said.contains("nowhere"), "{said}");
    assert_eq!(verify(&["--signature", "app.sig"]).0, Some(2));
    assert_eq!(verify(&["more"]).0, Some(2));
}

#[test]
fn times_and_order_of_files_do_not_count() {
    let otp = stock::otp();
    let folder = tempfile::tempdir().unwrap();
    let release = made::release(otp, folder.path(), &otp.root);
    let one = folder.path().join("one");
    packed(otp, &release, &one);
    // The same files in another folder, made in the other order, at other times.
    let again = folder.path().join("again");
    let listed = run(Command::new("find")
        .arg(".")
        .args(["-type", "f"])
        .current_dir(&release));
    let listed = text(&listed.stdout);
    let mut names: Vec<&str> = listed.lines().collect();
    names.sort_unstable();
    for name in names.iter().rev() {
        let target = again.join(name);
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        run(Command::new("cp").arg(release.join(name)).arg(&target));
        run(Command::new("touch")
            .args(["-d", "1999-01-01"])
            .arg(&target));
    }
    let other = folder.path().join("other");
    packed(otp, &again, &other);
    assert!(fs::read(one).unwrap() == fs::read(other).unwrap());
}

#[test]
fn another_ferl_may_stand_in_front() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let script = script(folder.path());
    let pack = |target: &Path| {
        let words = [
            &script,
            Path::new("--target"),
            target,
            Path::new("-o"),
            &at("app"),
        ];
        pack(stock::otp(), &words)
    };
    fs::copy(FERL, at("ferl")).unwrap();
    assert_eq!(pack(&at("ferl")), (Some(0), String::new(), String::new()));
    let first = fs::read(at("app")).unwrap();
    // A packed file serves as well: what it carries is left behind.
    fs::rename(at("app"), at("ferl")).unwrap();
    assert_eq!(pack(&at("ferl")).0, Some(0));
    assert!(fs::read(at("app")).unwrap() == first);
    assert_eq!(text(&app(&at("app")).output().unwrap().stdout), "runs\n");
    // One for another processor cannot be run here, but what does not fit it is told of.
    let mut strange = fs::read(FERL).unwrap();
    strange[18] = 0xb7;
    fs::write(at("ferl"), strange).unwrap();
    let (status, notes, errors) = pack(&at("ferl"));
    assert!(
        status == Some(0) && notes.contains("for another processor"),
        "{notes}{errors}"
    );
    assert!(notes.contains("bin/heart"), "{notes}");
    fs::remove_file(at("app")).unwrap();
    for (target, complaint) in [("/bin/true", "it is no ferl"), ("/nowhere", "No such file")] {
        let (status, _, errors) = pack(Path::new(target));
        assert!(status == Some(1) && errors.contains(complaint), "{errors}");
        assert!(!at("app").exists());
    }
}

#[test]
fn where_nothing_can_be_written_nothing_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let script = script(folder.path());
    let out = folder.path().join("out");
    fs::create_dir(&out).unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let command = |program: &str| {
        let mut command = Command::new(program);
        command.env("FERL_OTP", &stock::otp().root);
        command
    };
    let (status, _, errors) = pack(
        stock::otp(),
        &[&script, Path::new("-o"), &folder.path().join("nowhere/app")],
    );
    assert!(
        status == Some(1) && errors.contains("No such file"),
        "{errors}"
    );
    let (status, _, errors) = pack(stock::otp(), &[&script, Path::new("-o"), &out]);
    assert!(
        status == Some(1) && errors.contains("directory"),
        "{errors}"
    );
    // Root may write everywhere, and may become somebody who may not.
    let refused = command(FERL)
        .arg("pack")
        .arg(&script)
        .arg("-o")
        .arg(out.join("app"))
        .uid(54_321)
        .gid(54_321)
        .output();
    match refused {
        Ok(refused) => {
            let (status, _, errors) = ended(&refused);
            assert!(
                status == Some(1) && errors.contains("Permission denied"),
                "{errors}"
            );
        }
        Err(error) => left_out(&format!("packing as an unknown user: {error}")),
    }
    let small = "mount -t tmpfs -o size=1m none \"$1\" || exit 77\n\"$2\" pack \"$3\" -o \"$1/app\" && exit 9\nls \"$1\"";
    let full = command("unshare")
        .args(["-m", "sh", "-c", small, "sh"])
        .args([&out, Path::new(FERL), &script])
        .output();
    match full {
        Ok(full) if full.status.code() == Some(0) => {
            let (_, listed, errors) = ended(&full);
            assert!(
                listed.is_empty() && errors.contains("No space left"),
                "{listed}{errors}"
            );
        }
        other => {
            let written = other.is_ok_and(|other| other.status.code() == Some(9));
            assert!(!written, "it was written where there is no space");
            left_out("packing without space: mounting is not permitted here");
        }
    }
    assert_eq!(fs::read_dir(&out).unwrap().count(), 0);
}
