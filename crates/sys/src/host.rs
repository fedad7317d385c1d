//! Facts about this host, its operating system and this process.

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
    /// The version of the build: when and how the kernel was built.
    pub version: String,
    /// `x86_64`, `aarch64`.
    pub machine: String,
    /// The first three numbers of the release; missing ones are 0. What `os:version/0` shows.
    pub release_numbers: (u32, u32, u32),
}

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

/// The name of this host, as bytes: what `inet:gethostname/0` starts from.
pub(crate) fn name() -> Result<Vec<u8>> {
    Ok(rustix::system::uname().nodename().to_bytes().to_vec())
}

/// The number of this process.
pub fn process_id() -> u32 {
    std::process::id()
}

/// The numbers of the user and the group that this process acts for.
pub fn effective_ids() -> (u32, u32) {
    let (user, group) = (rustix::process::geteuid(), rustix::process::getegid());
    (user.as_raw(), group.as_raw())
}

/// How many descriptors this process may have open at once: the limit in force, and the maximum it can be raised
/// to without privileges.
pub fn descriptor_limits() -> Result<(u64, u64)> {
    let limits = getrlimit(Resource::Nofile);
    let number = |limit: Option<u64>| limit.unwrap_or(libc::RLIM_INFINITY);
    Ok((number(limits.current), number(limits.maximum)))
}

/// The first three numbers of a text, whatever separates them.
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
        assert_eq!(system.name, "Linux");
        assert_eq!(system.release, command("uname", &["-r"]));
        assert_eq!(system.machine, command("uname", &["-m"]));
        assert_eq!(
            String::from_utf8(name().unwrap()).unwrap(),
            command("uname", &["-n"])
        );
        assert_eq!(effective_ids().0.to_string(), command("id", &["-u"]));
        let (now, most) = descriptor_limits().unwrap();
        assert!(0 < now && now <= most);
    }
}
