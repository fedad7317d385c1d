//! Finds the programs that are installed: Erlang VMs, compilers, what an experiment needs besides.

use std::env;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Finds a program by its path, or by its name in PATH.
pub(crate) fn find_program(name: &str) -> Option<PathBuf> {
    if name.contains('/') {
        let path = PathBuf::from(name);
        return path.is_file().then(|| path.canonicalize().ok()).flatten();
    }
    env::split_paths(&env::var_os("PATH")?)
        .map(|folder| folder.join(name))
        .find(|candidate| candidate.is_file())
}

/// Whether a program, or a place as in [`Need::place`](crate::experiment::Need::place), is there.
pub(crate) fn is_installed(place: &str, otp: &Path) -> bool {
    if !place.contains('/') {
        return find_program(place).is_some();
    }
    find(Path::new(&place.replace("{OTP}", &otp.to_string_lossy()))).is_some()
}

/// The first path, by name, that an absolute pattern means: a `*` stands for any part of a name.
pub(crate) fn find(pattern: &Path) -> Option<PathBuf> {
    let mut found = vec![PathBuf::from("/")];
    for component in pattern.components() {
        let Component::Normal(name) = component else {
            continue;
        };
        let name = name.to_string_lossy();
        found = match name.split_once('*') {
            None => found.iter().map(|folder| folder.join(&*name)).collect(),
            Some((begins, ends)) => {
                let entries = found.iter().filter_map(|folder| fs::read_dir(folder).ok());
                let names = entries.flatten().flatten().filter(|entry| {
                    let name = entry.file_name();
                    let name = name.to_string_lossy();
                    let rest = name.strip_prefix(begins);
                    rest.is_some_and(|rest| rest.ends_with(ends))
                });
                names.map(|entry| entry.path()).collect()
            }
        };
        found.retain(|path| path.exists());
        found.sort_unstable();
    }
    found.into_iter().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_parts_of_names() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["app-2.1/ebin", "app-1.0", "other-1/ebin"] {
            fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        let found = |pattern: &str| find(&folder.path().join(pattern));
        assert_eq!(
            found("app-*/ebin"),
            Some(folder.path().join("app-2.1/ebin"))
        );
        assert_eq!(found("app-*"), Some(folder.path().join("app-1.0")));
        assert_eq!(found("other-*1"), Some(folder.path().join("other-1")));
        assert_eq!(found("app-*/lib"), None);
        assert_eq!(found("none/*"), None);
    }
}
