//! Facts about this machine, its operating system, this process and its user.

use std::ffi::CStr;

use rustix::process::{Resource, getrlimit};

use crate::errno::Result;

/// What the kernel says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct System {
    /// `Linux`.
    pub name: String,
    /// `6.1.0-13-amd64`: what `uname -r` prints.
    pub release: String,
    /// When and how the kernel was built.
    pub version: String,
    /// `x86_64`, `aarch64`.
    pub machine: String,
    /// The first three numbers of the release; missing ones are 0. What `os:version/0` shows.
    pub release_numbers: (u32, u32, u32),
}

/// What kind of system this is: `os:type/0` shows it as `{unix, linux}`.
pub const FAMILY: (&str, &str) = ("unix", "linux");

/// Asks the kernel about itself.
pub fn system() -> Result<System> {
    let names = rustix::system::uname();
    let text = |text: &CStr| text.to_string_lossy().into_owned();
    let release = text(names.release());
    let release_numbers = numbers(&release);
    Ok(System {
        name: text(names.sysname()),
        version: text(names.version()),
        machine: text(names.machine()),
        release_numbers,
        release,
    })
}

/// The name of this machine, as bytes: what `inet:gethostname/0` starts from.
pub fn name() -> Result<Vec<u8>> {
    Ok(rustix::system::uname().nodename().to_bytes().to_vec())
}

/// The number of this process.
pub fn process_id() -> u32 {
    std::process::id()
}

/// The number of the process that started this one, or that adopted it.
pub fn parent_process_id() -> u32 {
    std::os::unix::process::parent_id()
}

/// The numbers of the user and the group that this process acts for.
pub fn effective_ids() -> (u32, u32) {
    let (user, group) = (rustix::process::geteuid(), rustix::process::getegid());
    (user.as_raw(), group.as_raw())
}

/// The user's home directory: the variable `HOME`, else what the user database says.
pub fn home_directory() -> Option<Vec<u8>> {
    if let Some(home) = crate::env::get(b"HOME") {
        return Some(home);
    }
    let user = rustix::process::getuid().as_raw();
    /// Entries beyond this are taken for damage.
    const MOST_BYTES: usize = 1 << 20;
    let mut buffer = vec![0u8; 1024];
    loop {
        let mut entry = std::mem::MaybeUninit::<libc::passwd>::uninit();
        let mut found = std::ptr::null_mut();
        // SAFETY: the call fills the entry, whose texts it puts into the buffer of the length given.
        let answer = unsafe {
            libc::getpwuid_r(
                user,
                entry.as_mut_ptr(),
                buffer.as_mut_ptr().cast(),
                buffer.len(),
                &mut found,
            )
        };
        match answer {
            libc::ERANGE if buffer.len() < MOST_BYTES => buffer.resize(buffer.len() * 2, 0),
            libc::EINTR => {}
            0 if !found.is_null() => {
                // SAFETY: the entry was found, so it is filled, and its directory is a terminated text in the
                // buffer, which is alive.
                return Some(
                    unsafe { CStr::from_ptr((*found).pw_dir) }
                        .to_bytes()
                        .to_vec(),
                );
            }
            _ => return None,
        }
    }
}

/// Where the program that runs was found, as bytes.
pub fn executable() -> Result<Vec<u8>> {
    use std::os::unix::ffi::OsStringExt;
    Ok(std::env::current_exe()?.into_os_string().into_vec())
}

/// How many descriptors this process may have open at once: the limit in force and the highest it may be raised
/// to without privileges.
pub fn descriptor_limits() -> Result<(u64, u64)> {
    let limits = getrlimit(Resource::Nofile);
    let number = |limit: Option<u64>| limit.unwrap_or(libc::RLIM_INFINITY);
    Ok((number(limits.current), number(limits.maximum)))
}

/// Numbers separated by anything else than digits.
fn numbers(release: &str) -> (u32, u32, u32) {
    let mut fields = release
        .split(|letter: char| !letter.is_ascii_digit())
        .filter(|field| !field.is_empty())
        .map(|field| field.parse().unwrap_or(0));
    let mut next = || fields.next().unwrap_or(0);
    (next(), next(), next())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn release_numbers_are_read_from_any_release() {
        for (release, expected) in [
            ("6.1.0-13-amd64", (6, 1, 0)),
            ("5.15.133.1-microsoft-standard-WSL2", (5, 15, 133)),
            ("4.4", (4, 4, 0)),
            ("", (0, 0, 0)),
            ("99999999999.1", (0, 1, 0)),
        ] {
            assert_eq!(numbers(release), expected);
        }
    }

    #[test]
    fn the_system_tells_what_the_commands_tell() {
        let command = |name: &str, arguments: &[&str]| {
            let output = std::process::Command::new(name)
                .args(arguments)
                .output()
                .unwrap();
            String::from_utf8(output.stdout).unwrap().trim().to_owned()
        };
        let system = system().unwrap();
        assert_eq!(system.name, FAMILY.1.replace("linux", "Linux"));
        assert_eq!(system.release, command("uname", &["-r"]));
        assert_eq!(system.machine, command("uname", &["-m"]));
        assert_eq!(
            String::from_utf8(name().unwrap()).unwrap(),
            command("uname", &["-n"])
        );
        assert_eq!(effective_ids().0.to_string(), command("id", &["-u"]));
        assert!(home_directory().is_some());
        assert!(!executable().unwrap().is_empty());
        let (now, most) = descriptor_limits().unwrap();
        assert!(0 < now && now <= most);
        assert_ne!(process_id(), parent_process_id());
    }
}
