//! The file system: the functions that take names.

use layout::{Heap, Term, no_gc};
use sys::file::info::{self, FileInfo, FileKind, Links};
use sys::file::names;
use sys::{Errno, Result as SysResult};
use term::{am, build};

use super::{BifResult, badarg, done, ok, path, posix};
use runtime::mail::loans::apart;
use runtime::process::Process;
use term::integer::{int32, int64, uint32};

/// The earliest time that OTP reports, in seconds: the beginning of 1902.
const EARLIEST_TIME: i64 = -2_145_916_800;

/// `#file_info{}` with times in seconds since 1970.
pub(super) fn file_info(heap: &mut Heap, info: &FileInfo) -> Term {
    let kind = match info.kind {
        FileKind::Device => am::DEVICE,
        FileKind::Directory => am::DIRECTORY,
        FileKind::Regular => am::REGULAR,
        FileKind::SymbolicLink => am::SYMLINK,
        FileKind::Other => am::OTHER,
    };
    let access = match (info.access.read, info.access.write) {
        (true, true) => am::READ_WRITE,
        (true, false) => am::READ,
        (false, true) => am::WRITE,
        (false, false) => am::NONE,
    };
    let mut time = |seconds: i64| build::integer(heap, seconds.max(EARLIEST_TIME));
    let times = [info.accessed, info.modified, info.changed].map(&mut time);
    let size = build::unsigned(heap, info.size);
    // OTP cuts these to 32 bits, whatever the file system reports.
    let short = |value: u64| Term::small(i64::from(value as u32));
    build::tuple(
        heap,
        &[
            am::FILE_INFO,
            size,
            kind,
            access,
            times[0],
            times[1],
            times[2],
            short(u64::from(info.mode)),
            short(info.links),
            short(info.major_device),
            short(info.minor_device),
            short(info.inode),
            short(u64::from(info.user)),
            short(u64::from(info.group)),
        ],
    )
}

fn with_name(
    process: &mut Process,
    name: Term,
    action: impl FnOnce(&[u8]) -> SysResult<()>,
) -> BifResult {
    let outcome = path(name, no_gc!()).and_then(|name| apart(process, || action(&name)));
    done(process, outcome)
}

fn with_names(
    process: &mut Process,
    [one, other]: [Term; 2],
    action: impl FnOnce(&[u8], &[u8]) -> SysResult<()>,
) -> BifResult {
    let outcome = path(one, no_gc!()).and_then(|one| {
        let no_gc = no_gc!();
        let other = path(other, no_gc)?;
        apart(process, || action(&one, &other))
    });
    done(process, outcome)
}

/// `{ok, Bytes}`, or the error.
fn native_name(process: &mut Process, outcome: SysResult<Vec<u8>>) -> BifResult {
    Ok(match outcome {
        Ok(bytes) => {
            let bytes = build::binary(process.heap(), &bytes);
            ok(process, bytes)
        }
        Err(error) => posix(process, error),
    })
}

/// `prim_file:read_info_nif(Name, FollowLinks)`, 0 or another integer
pub(crate) fn read_info_nif_2(process: &mut Process, [name, follow]: [Term; 2]) -> BifResult {
    let links = match int32(follow).ok_or(badarg(2))? {
        0 => Links::Keep,
        _ => Links::Follow,
    };
    let info = path(name, no_gc!()).and_then(|name| apart(process, || info::of(&name, links)));
    Ok(match info {
        Ok(info) => file_info(process.heap(), &info),
        Err(error) => posix(process, error),
    })
}

/// `prim_file:set_permissions_nif(Name, Permissions)`
pub(crate) fn set_permissions_nif_2(process: &mut Process, [name, mode]: [Term; 2]) -> BifResult {
    let mode = uint32(mode).ok_or(badarg(2))?;
    with_name(process, name, |name| info::set_permissions(name, mode))
}

/// `prim_file:set_owner_nif(Name, User, Group)`; -1 leaves one as it is
pub(crate) fn set_owner_nif_3(process: &mut Process, [name, user, group]: [Term; 3]) -> BifResult {
    let number = |term, place| match int32(term) {
        Some(-1) => Ok(None),
        // Numbers that need all 32 bits are given as negative ones.
        Some(number) => Ok(Some(number as u32)),
        None => Err(badarg(place)),
    };
    let (user, group) = (number(user, 2)?, number(group, 3)?);
    with_name(process, name, |name| info::set_owner(name, user, group))
}

/// `prim_file:set_time_nif(Name, Accessed, Modified, Created)`, in seconds since 1970
pub(crate) fn set_time_nif_4(
    process: &mut Process,
    [name, accessed, modified, created]: [Term; 4],
) -> BifResult {
    let accessed = int64(accessed).ok_or(badarg(2))?;
    let modified = int64(modified).ok_or(badarg(3))?;
    // No system call sets the time of creation.
    int64(created).ok_or(badarg(4))?;
    with_name(process, name, |name| {
        info::set_times(name, accessed, modified)
    })
}

/// `prim_file:read_link_nif(Name)`
pub(crate) fn read_link_nif_1(process: &mut Process, [name]: [Term; 1]) -> BifResult {
    let target = path(name, no_gc!()).and_then(|name| apart(process, || names::read_link(&name)));
    native_name(process, target)
}

/// `prim_file:list_dir_nif(Name)`: the names, the last one first.
pub(crate) fn list_dir_nif_1(process: &mut Process, [name]: [Term; 1]) -> BifResult {
    let entries =
        path(name, no_gc!()).and_then(|name| apart(process, || names::list_directory(&name)));
    Ok(match entries {
        Ok(entries) => {
            let heap = process.heap();
            let list = entries.iter().fold(Term::NIL, |list, entry| {
                let entry = build::binary(heap, entry);
                build::cons(heap, entry, list)
            });
            ok(process, list)
        }
        Err(error) => posix(process, error),
    })
}

/// `prim_file:make_hard_link_nif(Existing, New)`
pub(crate) fn make_hard_link_nif_2(process: &mut Process, both: [Term; 2]) -> BifResult {
    with_names(process, both, names::make_link)
}

/// `prim_file:make_soft_link_nif(Existing, New)`
pub(crate) fn make_soft_link_nif_2(process: &mut Process, both: [Term; 2]) -> BifResult {
    with_names(process, both, names::make_symbolic_link)
}

/// `prim_file:rename_nif(Source, Destination)`
pub(crate) fn rename_nif_2(process: &mut Process, both: [Term; 2]) -> BifResult {
    with_names(process, both, names::rename)
}

/// `prim_file:make_dir_nif(Name)`
pub(crate) fn make_dir_nif_1(process: &mut Process, [name]: [Term; 1]) -> BifResult {
    with_name(process, name, names::make_directory)
}

/// `prim_file:del_file_nif(Name)`
pub(crate) fn del_file_nif_1(process: &mut Process, [name]: [Term; 1]) -> BifResult {
    with_name(process, name, names::remove_file)
}

/// `prim_file:del_dir_nif(Name)`
pub(crate) fn del_dir_nif_1(process: &mut Process, [name]: [Term; 1]) -> BifResult {
    with_name(process, name, names::remove_directory)
}

/// `prim_file:get_device_cwd_nif(Index)`: only for systems with drives.
pub(crate) fn get_device_cwd_nif_1(process: &mut Process, [index]: [Term; 1]) -> BifResult {
    int32(index).ok_or(badarg(1))?;
    Ok(posix(process, Errno::ENOTSUP))
}

/// `prim_file:get_cwd_nif()`
pub(crate) fn get_cwd_nif_0(process: &mut Process, []: [Term; 0]) -> BifResult {
    native_name(process, names::working_directory())
}

/// `prim_file:set_cwd_nif(Name)`
pub(crate) fn set_cwd_nif_1(process: &mut Process, [name]: [Term; 1]) -> BifResult {
    with_name(process, name, names::set_working_directory)
}

/// `prim_file:altname_nif(Name)`: only for systems with short file names.
pub(crate) fn altname_nif_1(process: &mut Process, [name]: [Term; 1]) -> BifResult {
    let error = path(name, no_gc!()).err().unwrap_or(Errno::ENOTSUP);
    Ok(posix(process, error))
}
