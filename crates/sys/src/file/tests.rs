//! Files in a temporary directory. The error names are those that stock OTP gave for the same calls.

use super::info::{FileKind, Links};
use super::names::AccessKind;
use super::*;
use crate::fixture::Tree;

const READ: OpenMode = mode(true, false);
const WRITE: OpenMode = mode(false, true);
const BOTH: OpenMode = mode(true, true);

const fn mode(read: bool, write: bool) -> OpenMode {
    OpenMode {
        read,
        write,
        append: false,
        exclusive: false,
        sync: false,
        directory: false,
        skip_type_check: false,
    }
}

struct Directory(Tree);

impl Directory {
    fn new(files: &[(&str, &str)]) -> Directory {
        Directory(Tree::new(files))
    }

    fn name(&self, name: &str) -> Vec<u8> {
        self.0
            .path()
            .join(name)
            .into_os_string()
            .into_encoded_bytes()
    }

    fn content(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.path().join(name)).unwrap()
    }
}

#[test]
fn modes_decide_what_happens_to_the_content() {
    let directory = Directory::new(&[("a", "old"), ("b", "old"), ("c", "old")]);
    for (name, mode, content) in [
        ("a", WRITE, "new"),
        ("b", BOTH, "newX"),
        (
            "c",
            OpenMode {
                append: true,
                ..WRITE
            },
            "oldnew",
        ),
        ("d", WRITE, "new"),
        (
            "e",
            OpenMode {
                exclusive: true,
                sync: true,
                ..WRITE
            },
            "new",
        ),
    ] {
        std::fs::write(directory.0.path().join("b"), "oldX").unwrap();
        let file = File::open(&directory.name(name), mode).unwrap();
        file.write(b"new").unwrap();
        file.close().unwrap();
        assert_eq!(directory.content(name), content, "{name}");
    }
    let open = |name: &str, mode| File::open(&directory.name(name), mode).map(|_| ());
    assert_eq!(
        open(
            "a",
            OpenMode {
                exclusive: true,
                ..WRITE
            }
        ),
        Err(Errno::EEXIST)
    );
    assert_eq!(open("none", READ), Err(Errno::ENOENT));
    assert_eq!(open("a", OpenMode::default()), Err(Errno::EINVAL));
    assert_eq!(open("a/b", READ), Err(Errno::ENOTDIR));
    assert_eq!(open("a\0b", READ), Err(Errno::EINVAL));
    assert_eq!(open("a\0", READ), Ok(()));
    assert_eq!(open("", READ), Err(Errno::EISDIR));
    assert_eq!(open("", WRITE), Err(Errno::EISDIR));
    assert_eq!(
        open(
            "",
            OpenMode {
                directory: true,
                ..READ
            }
        ),
        Ok(())
    );
    assert_eq!(
        open(
            "",
            OpenMode {
                skip_type_check: true,
                ..READ
            }
        ),
        Ok(())
    );
    assert_eq!(
        open(
            "a",
            OpenMode {
                directory: true,
                ..READ
            }
        ),
        Err(Errno::ENOTDIR)
    );
    assert_eq!(File::open(b"", READ).unwrap_err(), Errno::ENOENT);
}

#[test]
fn reads_fill_their_buffers_and_know_the_end() {
    let directory = Directory::new(&[("f", "0123456789")]);
    let file = File::open(&directory.name("f"), READ).unwrap();
    let (mut one, mut two) = ([0; 4], [0; 3]);
    assert_eq!((file.read(&mut one), file.read(&mut two)), (Ok(4), Ok(3)));
    assert_eq!((&one, &two), (b"0123", b"456"));
    assert_eq!(file.read(&mut one), Ok(3));
    assert_eq!(file.read(&mut one), Ok(0));
    assert_eq!(file.pread(8, &mut one), Ok(2));
    assert_eq!(file.pread(100, &mut one), Ok(0));
    assert_eq!(file.pread(-1, &mut one), Err(Errno::EINVAL));
    assert_eq!(file.pread(i64::MAX, &mut one), Err(Errno::EINVAL));
    assert_eq!(file.seek(SeekFrom::Start, 0), Ok(0));
    let mut unwritten = [MaybeUninit::uninit(); 20];
    assert_eq!(file.read_uninit(&mut unwritten), Ok(10));
    // SAFETY: the read has initialised ten bytes.
    assert_eq!(unsafe { unwritten[9].assume_init() }, b'9');
    assert_eq!(file.pread_uninit(9, &mut unwritten), Ok(1));
    assert_eq!(file.write(b"x"), Err(Errno::EBADF));
    let directory = File::open(
        &directory.name(""),
        OpenMode {
            directory: true,
            ..READ
        },
    )
    .unwrap();
    assert_eq!(directory.read(&mut one), Err(Errno::EISDIR));
}

#[test]
fn a_pipe_is_read_until_it_is_full_or_ends() {
    let (reader, writer) = fd::pipe().unwrap();
    let file = File::from_fd(reader);
    let writing = std::thread::spawn(move || {
        for part in [&b"ab"[..], b"cd", b"ef"] {
            fd::write(writer.as_fd(), part).unwrap();
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
    });
    let mut buffer = [0; 4];
    assert_eq!(file.read(&mut buffer), Ok(4));
    assert_eq!(&buffer, b"abcd");
    assert_eq!(file.read(&mut buffer), Ok(2));
    writing.join().unwrap();
    assert_eq!(file.seek(SeekFrom::Start, 0), Err(Errno::ESPIPE));
}

#[test]
fn writes_go_out_whole_in_any_number_of_parts() {
    let directory = Directory::new(&[]);
    let file = File::open(&directory.name("f"), BOTH).unwrap();
    let piece = [7u8; 3];
    let mut parts: Vec<IoSlice> = (0..3000).map(|_| IoSlice::new(&piece)).collect();
    parts.insert(0, IoSlice::new(b""));
    file.writev(&mut parts).unwrap();
    assert_eq!(file.info().unwrap().size, 9000);
    file.writev(&mut [IoSlice::new(b""), IoSlice::new(b"")])
        .unwrap();
    file.pwritev(8998, &mut [IoSlice::new(b"a"), IoSlice::new(b"bc")])
        .unwrap();
    let mut end = [0; 4];
    assert_eq!(file.pread(8997, &mut end), Ok(4));
    assert_eq!(&end, b"\x07abc");
    assert_eq!(file.pwritev(-1, &mut []), Err(Errno::EINVAL));
    assert_eq!(
        file.pwritev(-1, &mut [IoSlice::new(b"x")]),
        Err(Errno::EINVAL)
    );
    let full = File::open(b"/dev/full", WRITE).unwrap();
    assert_eq!(full.write(b"x"), Err(Errno::ENOSPC));
}

#[test]
fn position_size_and_room_can_be_changed() {
    let directory = Directory::new(&[("f", "0123456789")]);
    let file = File::open(&directory.name("f"), BOTH).unwrap();
    assert_eq!(file.seek(SeekFrom::End, -3), Ok(7));
    assert_eq!(file.seek(SeekFrom::Current, -2), Ok(5));
    assert_eq!(file.seek(SeekFrom::Start, -1), Err(Errno::EINVAL));
    file.truncate().unwrap();
    assert_eq!(directory.content("f"), "01234");
    file.allocate(0, 5000).unwrap();
    assert_eq!(file.info().unwrap().size, 5000);
    assert_eq!(file.allocate(0, 0), Err(Errno::EINVAL));
    assert_eq!(file.allocate(-1, 5), Err(Errno::EINVAL));
    assert_eq!(file.allocate(0, 1 << 62), Err(Errno::EFBIG));
    file.sync().unwrap();
    file.sync_data().unwrap();
    for advice in [
        Advice::Normal,
        Advice::Random,
        Advice::Sequential,
        Advice::WillNeed,
        Advice::DontNeed,
        Advice::NoReuse,
    ] {
        assert_eq!(file.advise(0, 0, advice), Ok(()));
        assert_eq!(file.advise(-1, 0, advice), Err(Errno::EINVAL));
    }
}

#[test]
fn facts_about_files_are_those_of_the_system() {
    use std::os::unix::fs::MetadataExt;
    let directory = Directory::new(&[("f", "12345"), ("d/inside", "")]);
    names::make_symbolic_link(b"f", &directory.name("link")).unwrap();
    let info = |name: &str, links| info::of(&directory.name(name), links).unwrap();
    let file = info("f", Links::Follow);
    let system = std::fs::metadata(directory.0.path().join("f")).unwrap();
    assert_eq!(
        (file.size, file.kind, file.mode),
        (5, FileKind::Regular, system.mode())
    );
    assert_eq!(
        (file.inode, file.links, file.major_device),
        (system.ino(), 1, system.dev())
    );
    assert_eq!((file.user, file.group), (system.uid(), system.gid()));
    assert_eq!(
        (file.accessed, file.modified, file.changed),
        (system.atime(), system.mtime(), system.ctime())
    );
    assert!(file.access.read && file.access.write);
    assert_eq!(info("link", Links::Follow), file);
    assert_eq!(info("link", Links::Keep).kind, FileKind::SymbolicLink);
    assert_eq!(info("d", Links::Follow).kind, FileKind::Directory);
    assert_eq!(
        info::of(b"/dev/null", Links::Follow).unwrap().kind,
        FileKind::Device
    );
    assert_ne!(
        info::of(b"/dev/null", Links::Follow).unwrap().minor_device,
        0
    );
    let (reader, _writer) = fd::pipe().unwrap();
    assert_eq!(File::from_fd(reader).info().unwrap().kind, FileKind::Other);
    let open = File::open(&directory.name("f"), READ).unwrap();
    assert_eq!(open.info().unwrap(), file);
    assert_eq!(
        info::of(&directory.name("none"), Links::Follow),
        Err(Errno::ENOENT)
    );
}

#[test]
fn facts_about_files_can_be_changed() {
    let directory = Directory::new(&[("f", "12345")]);
    let name = directory.name("f");
    info::set_permissions(&name, 0o140_640).unwrap();
    info::set_times(&name, -315_619_200, 1_700_000_000).unwrap();
    info::set_owner(&name, None, None).unwrap();
    let now = info::of(&name, Links::Follow).unwrap();
    assert_eq!(now.mode, libc::S_IFREG | 0o640);
    assert_eq!((now.accessed, now.modified), (-315_619_200, 1_700_000_000));
    info::set_permissions(&name, 0o6755).unwrap();
    assert_eq!(info::of(&name, Links::Follow).unwrap().mode & 0o777, 0o755);
    info::set_permissions(&name, 0o040).unwrap();
    // For an open file the permission bits count, even for a privileged user.
    let open = File::open(&name, READ);
    if let Ok(open) = open {
        let access = open.info().unwrap().access;
        assert_eq!((access.read, access.write), (false, false));
    }
    assert_eq!(
        info::set_permissions(&directory.name("none"), 0o777),
        Err(Errno::ENOENT)
    );
    assert_eq!(
        info::set_owner(&directory.name("none"), None, None),
        Err(Errno::ENOENT)
    );
    assert_eq!(
        info::set_times(&directory.name("none"), 0, 0),
        Err(Errno::ENOENT)
    );
}

#[test]
fn names_are_made_listed_renamed_and_removed() {
    let directory = Directory::new(&[("f", "1"), ("d/inside", ""), ("g", "2")]);
    let odd = [&directory.name("d/")[..], b"\xff\xfe name"].concat();
    names::make_link(&directory.name("f"), &odd).unwrap();
    assert_eq!(info::of(&odd, Links::Follow).unwrap().links, 2);
    let mut list = names::list_directory(&directory.name("d")).unwrap();
    list.sort();
    assert_eq!(list, [&b"inside"[..], b"\xff\xfe name"]);
    assert_eq!(
        names::list_directory(&directory.name("f")),
        Err(Errno::ENOTDIR)
    );
    assert_eq!(
        names::list_directory(&directory.name("none")),
        Err(Errno::ENOENT)
    );

    names::rename(&directory.name("f"), &directory.name("g")).unwrap();
    assert_eq!(directory.content("g"), "1");
    names::make_directory(&directory.name("e")).unwrap();
    assert_eq!(
        names::make_directory(&directory.name("e")),
        Err(Errno::EEXIST)
    );
    assert_eq!(
        names::rename(&directory.name("e"), &directory.name("d")),
        Err(Errno::EEXIST)
    );
    assert_eq!(
        names::rename(b"/", &directory.name("h")),
        Err(Errno::EINVAL)
    );
    assert_eq!(
        names::rename(&directory.name("none"), &directory.name("h")),
        Err(Errno::ENOENT)
    );

    assert_eq!(
        names::remove_directory(&directory.name("d")),
        Err(Errno::EEXIST)
    );
    assert_eq!(names::remove_directory(b"."), Err(Errno::EINVAL));
    assert_eq!(names::remove_directory(b""), Err(Errno::ENOENT));
    assert_eq!(
        names::remove_directory(&directory.name("g")),
        Err(Errno::ENOTDIR)
    );
    names::remove_directory(&directory.name("e")).unwrap();
    assert_eq!(names::remove_file(&directory.name("d")), Err(Errno::EPERM));
    names::remove_file(&directory.name("g")).unwrap();
    assert_eq!(names::remove_file(&directory.name("g")), Err(Errno::ENOENT));
}

#[test]
fn links_of_any_length_are_read() {
    let directory = Directory::new(&[("f", "")]);
    for length in [1, 255, 256, 257, 4000] {
        let target = vec![b'x'; length];
        let name = directory.name(&format!("link{length}"));
        names::make_symbolic_link(&target, &name).unwrap();
        assert_eq!(names::read_link(&name), Ok(target));
    }
    assert_eq!(names::read_link(&directory.name("f")), Err(Errno::EINVAL));
    assert_eq!(
        names::read_link(&directory.name("none")),
        Err(Errno::ENOENT)
    );
}

#[test]
fn the_working_directory_is_known() {
    let here = std::env::current_dir()
        .unwrap()
        .into_os_string()
        .into_encoded_bytes();
    assert_eq!(names::working_directory(), Ok(here.clone()));
    // To the current one, because all tests share the working directory.
    names::set_working_directory(&here).unwrap();
    assert_eq!(names::working_directory(), Ok(here));
    assert_eq!(
        names::set_working_directory(b"/no/such"),
        Err(Errno::ENOENT)
    );
}

#[test]
fn access_is_granted_or_refused() {
    let directory = Directory::new(&[("f", "")]);
    for kind in [AccessKind::Exist, AccessKind::Read, AccessKind::Write] {
        assert_eq!(names::may(&directory.name("f"), kind), Ok(()));
    }
    assert_eq!(
        names::may(&directory.name("f"), AccessKind::Execute),
        Err(Errno::EACCES)
    );
    assert_eq!(names::may(b"/bin/sh", AccessKind::Execute), Ok(()));
    assert_eq!(
        names::may(&directory.name("none"), AccessKind::Exist),
        Err(Errno::ENOENT)
    );
}
