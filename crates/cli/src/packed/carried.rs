//! The release or script that this program carries, as its commands see it: its files, OTP's programs in it, the
//! environment of what it starts. Main thread, before a node runs.

use std::collections::hash_map::RandomState;
use std::ffi::OsStr;
use std::fs::{self, DirBuilder};
use std::hash::BuildHasher;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use ship::image::Image;
use sys::errno::Errno;
use sys::file::packed::{self, Packed as _};

use crate::environment::Environment;
use crate::otp::Otp;
use crate::refusal::Refusal;
use crate::words::Word;

/// What this program carries.
pub(super) struct Carried {
    /// This program's own file, below whose name the node sees what it carries.
    pub(super) program: PathBuf,
    pub(super) image: Arc<Image>,
    pub(super) otp: Otp,
    /// The environment of the node or program to be started.
    pub(super) environment: Environment,
}

/// What to do in the end.
pub(super) enum Act {
    /// Start a node with these words of `erl`.
    Node(Vec<Word>),
    /// Print this and end with this status.
    Answer(String, u8),
}

impl Carried {
    /// The name of a file in it.
    pub(super) fn path(&self, name: &str) -> Word {
        self.program.join(name).as_os_str().as_bytes().to_vec()
    }

    /// The version of the release, as the folder below `releases` is named.
    pub(super) fn version(&self) -> String {
        match self.environment.get_non_empty("RELEASE_VSN") {
            Some(version) if self.is_mix() => String::from_utf8_lossy(version).into_owned(),
            _ => self.image.fact("release").to_owned(),
        }
    }

    /// Whether `mix release` has made it.
    pub(super) fn is_mix(&self) -> bool {
        self.image.fact("tool") == "mix"
    }

    /// A variable that is set and not empty.
    pub(super) fn variable(&self, name: &str) -> Option<Word> {
        self.environment.get_non_empty(name).map(<[u8]>::to_vec)
    }

    /// The contents of a file that may be in it.
    pub(super) fn read(&self, path: &[u8]) -> io::Result<Vec<u8>> {
        let below = self.program.as_os_str().as_bytes();
        let inside = path
            .strip_prefix(below)
            .and_then(|rest| rest.strip_prefix(b"/"));
        match inside {
            Some(inside) => self.image.read(inside).map_err(io::Error::from),
            None => fs::read(OsStr::from_bytes(path)),
        }
    }

    /// One of OTP's own programs in it (`erl_call`, `run_erl`, ...), which runs from memory.
    pub(super) fn program(&self, name: &str) -> Result<Command, Refusal> {
        let path = self.otp.bin.join(name);
        let missing = || {
            Refusal::plain(format!(
                "{}: the release has no {name}, which this command needs. Pack it where the OTP is installed that it \
                 was made with.",
                self.program.display()
            ))
        };
        let found = match packed::name_for_system(path.as_os_str().as_bytes()) {
            Some(Ok(found)) => found,
            Some(Err(error)) if error != Errno::ENOENT => {
                return Err(Refusal::plain(format!(
                    "{}: cannot copy {name} to memory: {}",
                    self.program.display(),
                    error.message()
                )));
            }
            _ => return Err(missing()),
        };
        let mut command = Command::new(OsStr::from_bytes(found.to_bytes()));
        command.arg0(name);
        self.environment.give(&mut command);
        Ok(command)
    }

    /// Executes a program in place of this one. Returns only if that fails.
    pub(super) fn execute(mut command: Command, name: &str) -> Refusal {
        let error = command.exec();
        let hint = match error.kind() {
            io::ErrorKind::PermissionDenied => {
                "which the system forbids where vm.memfd_noexec is 2 (start works there)"
            }
            _ => "for which /proc must be mounted",
        };
        Refusal::plain(format!(
            "ferl: cannot start {name} from memory, {hint}: {error}"
        ))
    }

    /// A folder that only this user can reach, for files that must be written: `NAME-UID` in the first of the usual
    /// places where that can be had. The same one at each start.
    pub(super) fn private_folder(&self, name: &str, variable: &str) -> Result<PathBuf, Refusal> {
        let named = ["XDG_RUNTIME_DIR", "TMPDIR"]
            .into_iter()
            .filter_map(|name| {
                let value = self.environment.get_non_empty(name)?;
                Some(PathBuf::from(OsStr::from_bytes(value)))
            });
        let usual = ["/tmp", "/dev/shm"].into_iter().map(PathBuf::from);
        let user = sys::host::effective_ids().0;
        let mut reasons = String::new();
        for place in named.chain(usual) {
            let folder = place.join(format!("{name}-{user}"));
            match make_private(&folder, user) {
                Ok(()) => return Ok(folder),
                Err(error) => reasons.push_str(&format!("\n  {}: {error}", folder.display())),
            }
        }
        Err(Refusal::plain(format!(
            "{}: it needs a folder to write to that is only this user's. Name one by {variable}. Tried:{reasons}",
            self.program.display()
        )))
    }
}

/// Makes a folder, or makes sure that it is a folder of this user to which nobody else has access: it may be in a place
/// where others can make one of that name.
fn make_private(folder: &Path, user: u32) -> io::Result<()> {
    match DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            let found = fs::symlink_metadata(folder)?;
            let is_ours = found.is_dir() && found.uid() == user && found.mode() & 0o077 == 0;
            match is_ours {
                true => Ok(()),
                false => Err(io::Error::other(
                    "it is there, and others have access to it",
                )),
            }
        }
        made => made,
    }
}

/// Four digits that differ from call to call, for names.
pub(super) fn random() -> String {
    format!("{:04x}", RandomState::new().hash_one(0) & 0xffff)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn a_folder_of_others_is_not_taken() {
        let place = tempfile::tempdir().unwrap();
        let user = sys::host::effective_ids().0;
        let own = place.path().join("own");
        for _ in 0..2 {
            make_private(&own, user).unwrap();
        }
        assert!(make_private(&own, user + 1).is_err());
        fs::set_permissions(&own, fs::Permissions::from_mode(0o755)).unwrap();
        assert!(make_private(&own, user).is_err());
        let link = place.path().join("link");
        symlink(place.path(), &link).unwrap();
        assert!(make_private(&link, user).is_err());
    }
}
