//! The page and its files, inside the binary.

/// A file.
pub(super) struct Asset {
    path: &'static str,
    /// Its media type.
    pub(super) kind: &'static str,
    pub(super) bytes: &'static [u8],
}

const HTML: &str = "text/html; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const DRAWING: &str = "image/svg+xml";
const TEXT: &str = "text/plain; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

macro_rules! assets {
    ($($path:literal $kind:ident $file:literal;)*) => {
        const ASSETS: &[Asset] = &[$(Asset {
            path: $path,
            kind: $kind,
            bytes: include_bytes!(concat!("../../assets/", $file)),
        }),*];
    };
}

assets! {
    "/" HTML "index.html";
    "/icon.svg" DRAWING "icon.svg";
    "/window.css" STYLE "window.css";
    "/js/api.js" SCRIPT "js/api.js";
    "/js/dialogs.js" SCRIPT "js/dialogs.js";
    "/js/dom.js" SCRIPT "js/dom.js";
    "/js/graph.js" SCRIPT "js/graph.js";
    "/js/history.js" SCRIPT "js/history.js";
    "/js/main.js" SCRIPT "js/main.js";
    "/js/overview.js" SCRIPT "js/overview.js";
    "/js/plot.js" SCRIPT "js/plot.js";
    "/js/process.js" SCRIPT "js/process.js";
    "/js/profile.js" SCRIPT "js/profile.js";
    "/js/table.js" SCRIPT "js/table.js";
    "/js/tree.js" SCRIPT "js/tree.js";
    "/js/units.js" SCRIPT "js/units.js";
    "/vendor/uplot/uPlot.iife.min.js" SCRIPT "vendor/uplot/uPlot.iife.min.js";
    "/vendor/uplot/uPlot.min.css" STYLE "vendor/uplot/uPlot.min.css";
    "/vendor/uplot/LICENSE" TEXT "vendor/uplot/LICENSE";
}

/// The file at a path.
pub(super) fn find(path: &str) -> Option<&'static Asset> {
    ASSETS.iter().find(|asset| asset.path == path)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file that was forgotten in the table would be missing in the page.
    #[test]
    fn all_files_are_in_the_table() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/assets");
        let mut folders = vec![std::path::PathBuf::from(folder)];
        let mut found = 0;
        while let Some(below) = folders.pop() {
            for entry in std::fs::read_dir(below).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let name = path.strip_prefix(folder).unwrap().to_str().unwrap();
                let address = match name {
                    "index.html" => "/".to_owned(),
                    _ => format!("/{name}"),
                };
                let asset = find(&address).expect(name);
                assert!(asset.bytes == std::fs::read(&path).unwrap(), "{name}");
                found += 1;
            }
        }
        assert_eq!(found, ASSETS.len());
    }

    /// The security policy allows no script and no style inside of the page.
    #[test]
    fn the_page_has_no_scripts_inside() {
        let page = std::str::from_utf8(find("/").unwrap().bytes).unwrap();
        for part in page.split('<') {
            assert!(
                !part.contains(" on") || !part.contains("=\"javascript"),
                "{part}"
            );
            assert!(!part.contains("style="), "{part}");
            assert!(!part.starts_with("style"), "{part}");
            assert!(
                !part.starts_with("script")
                    || part.trim_end().ends_with("></script>")
                    || part.contains(" src="),
                "{part}"
            );
        }
    }
}
