//! The user's locale, which variables of the environment name.
//!
//! To the GNU C library a locale that is not installed counts as none, which the variables alone would not show. musl
//! has no locales to install, and takes every name for one in UTF-8: there the variables decide. The process's own
//! locale is never changed.

/// Whether the locale that the environment names encodes text in UTF-8.
#[cfg(not(target_env = "musl"))]
pub fn is_utf8() -> bool {
    use std::ffi::CStr;
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

/// Whether the locale that the environment names encodes text in UTF-8.
#[cfg(target_env = "musl")]
pub fn is_utf8() -> bool {
    let mut variables = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter();
    variables
        .find_map(|name| std::env::var_os(name).filter(|value| !value.is_empty()))
        .is_some_and(|name| names_utf8(name.as_encoded_bytes()))
}

/// Whether the name of a locale (`LANGUAGE_COUNTRY.ENCODING@VARIANT`) says UTF-8.
#[cfg(any(target_env = "musl", test))]
fn names_utf8(name: &[u8]) -> bool {
    let Some(dot) = name.iter().position(|byte| *byte == b'.') else {
        return false;
    };
    let encoding = name[dot + 1..].split(|byte| *byte == b'@').next();
    encoding.is_some_and(|encoding| {
        [&b"UTF-8"[..], b"UTF8"]
            .iter()
            .any(|known| encoding.eq_ignore_ascii_case(known))
    })
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
        let is_known = cfg!(target_env = "musl");
        for (locale, expected) in [("C", false), ("C.UTF-8", true), ("no_SUCH.UTF-8", is_known)] {
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

    #[test]
    fn names_say_their_encoding() {
        for (name, expected) in [
            ("C", false),
            ("", false),
            ("de_DE", false),
            ("de_DE.ISO-8859-1", false),
            ("C.UTF-8", true),
            ("de_DE.utf8@euro", true),
            ("UTF-8", false),
        ] {
            assert_eq!(names_utf8(name.as_bytes()), expected, "{name}");
        }
    }
}
