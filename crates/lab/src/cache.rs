//! The lab's folder in the user's cache.

use std::env;
use std::fs;
use std::path::PathBuf;

/// Where compiled programs and durations are kept between sessions; `None` if there is no such folder that can be
/// written to.
pub(crate) fn folder() -> Option<PathBuf> {
    let home = || env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache"));
    let cache = env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
        .or_else(home)?
        .join("ferl-lab");
    fs::create_dir_all(&cache).ok()?;
    // Permissions alone do not tell: the file system may be read-only or full.
    tempfile::tempfile_in(&cache).ok()?;
    cache.canonicalize().ok()
}
