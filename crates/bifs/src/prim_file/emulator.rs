//! A tool that makes a release copies the emulator of the OTP that it runs on. On ferl that is stock's emulator: the
//! release would run on stock, and nobody would know. So a node says it once.

use std::io::Read;
use std::sync::Once;

use runtime::process::config;
use sys::standard::to_error;

/// Called with the name of each file that was opened to be read, or read as a whole, with the zeros behind it.
pub(super) fn was_read(name: &[u8]) {
    static SAID: Once = Once::new();
    let end = name.iter().position(|byte| *byte == 0);
    let name = &name[..end.unwrap_or(name.len())];
    // Its name alone is compared first: files are opened often.
    if !name.ends_with(b"/bin/erlexec") || SAID.is_completed() {
        return;
    }
    let config = config::get();
    let erts = format!("erts-{}/bin/erlexec", config.erts_version);
    let launcher = config.root_dir.join(erts);
    if launcher.as_os_str().as_encoded_bytes() == name && is_of_stock(&launcher) {
        SAID.call_once(|| {
            to_error(format_args!(
                "ferl: this program reads {}, as tools do that make releases. A release with a copy of it runs on \
                 stock, not on ferl. For one that runs on ferl, `ferl erts DIR` and name that folder (include_erts), \
                 or `ferl erts --replace RELEASE` afterwards.\n",
                launcher.display()
            ));
        });
    }
}

/// Stock's is a program, ferl's a script.
fn is_of_stock(launcher: &std::path::Path) -> bool {
    let mut start = [0; 4];
    let file = std::fs::File::open(launcher);
    file.is_ok_and(|mut file| file.read_exact(&mut start).is_ok() && start == *b"\x7fELF")
}
