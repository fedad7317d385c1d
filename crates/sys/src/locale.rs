//! The user's locale, which the C library finds by variables of the environment.
//!
//! A locale that is not installed counts as none, which the variables alone would not show. The
//! process's own locale is never changed.

use std::ffi::CStr;

/// Whether the locale that the environment names encodes text in UTF-8.
pub fn is_utf8() -> bool {
    // SAFETY: terminated texts; the locale is made here and queried before it is freed, and the result of the query is
    // a terminated text that is read before that, too.
    unsafe {
        let locale = libc::newlocale(libc::LC_CTYPE_MASK, c"".as_ptr(), std::ptr::null_mut());
        if locale.is_null() {
            return false;
        }
        let encoding = libc::nl_langinfo_l(libc::CODESET, locale);
        let is_utf8 = !encoding.is_null() && CStr::from_ptr(encoding) == c"UTF-8";
        libc::freelocale(locale);
        is_utf8
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    /// Runs the tests' own program again in another environment, because variables belong to the whole process.
    #[test]
    fn the_environment_decides() {
        if std::env::var_os("SYS_TELL_LOCALE").is_some() {
            println!("utf8: {}", is_utf8());
            return;
        }
        for (locale, expected) in [("C", false), ("C.UTF-8", true), ("no_SUCH.UTF-8", false)] {
            let output = Command::new(std::env::current_exe().unwrap())
                .args([
                    "--exact",
                    "locale::tests::the_environment_decides",
                    "--nocapture",
                ])
                .env("SYS_TELL_LOCALE", "1")
                .env("LC_ALL", locale)
                .output()
                .unwrap();
            let text = String::from_utf8(output.stdout).unwrap();
            assert!(
                text.contains(&format!("utf8: {expected}")),
                "{locale}: {text}"
            );
        }
    }
}
