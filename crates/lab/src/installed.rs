//! Finds the programs that are installed: Erlang VMs, compilers, what an experiment needs besides.

use std::env;
use std::path::PathBuf;

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
