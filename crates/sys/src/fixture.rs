//! Directory trees for tests: created under the temporary directory, deleted when dropped.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

pub(crate) struct Tree(PathBuf);

impl Tree {
    /// A new directory with these files in it.
    pub(crate) fn new(files: &[(&str, &str)]) -> Tree {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let root = std::env::temp_dir().join(format!("ferl-sys-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&root).unwrap();
        let tree = Tree(root);
        for (name, text) in files {
            tree.write(name, text);
        }
        tree
    }

    /// Changes a file, or makes one.
    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
