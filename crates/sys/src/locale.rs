//! The user's locale, which variables of the environment name.
//!
//! To the GNU C library a locale that is not installed counts as none, which the variables alone would not show. musl
//! has no locales to install, and takes every name for one in UTF-8: there the variables decide. The process's own
//! locale is never changed.

/// Whether the locale that these variables of the environment name encodes text in UTF-8.
pub fn is_utf8<'a>(variable: impl Fn(&str) -> Option<&'a [u8]>) -> bool {
    let mut variables = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter();
    variables
        .find_map(|name| variable(name).filter(|value| !value.is_empty()))
        .is_some_and(encodes_utf8)
}

#[cfg(not(target_env = "musl"))]
fn encodes_utf8(name: &[u8]) -> bool {
    use std::ffi::{CStr, CString};
    let Ok(name) = CString::new(name) else {
        return false;
    };
    // SAFETY: terminated texts; the locale is made here and queried before it is freed, and the result of the query is
    // a terminated text that is read before that, too.
    unsafe {
        let locale = libc::newlocale(libc::LC_CTYPE_MASK, name.as_ptr(), std::ptr::null_mut());
        if locale.is_null() {
            return false;
        }
        let encoding = libc::nl_langinfo_l(libc::CODESET, locale);
        let is_utf8 = !encoding.is_null() && CStr::from_ptr(encoding) == c"UTF-8";
        libc::freelocale(locale);
        is_utf8
    }
}

#[cfg(target_env = "musl")]
fn encodes_utf8(name: &[u8]) -> bool {
    names_utf8(name)
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

    #[test]
    fn the_first_variable_that_is_set_decides() {
        let is_known = cfg!(target_env = "musl");
        for (variables, expected) in [
            (&[][..], false),
            (&[("LC_ALL", "C")], false),
            (&[("LC_ALL", "C.UTF-8")], true),
            (&[("LC_ALL", "no_SUCH.UTF-8")], is_known),
            (&[("LC_ALL", ""), ("LC_CTYPE", "C.UTF-8")], true),
            (&[("LANG", "C.UTF-8"), ("LC_CTYPE", "C")], false),
            (&[("LANG", "C.UTF-8")], true),
        ] {
            let variable = |name: &str| {
                let mut all = variables.iter();
                let (_, value) = all.find(|(given, _)| *given == name)?;
                Some(value.as_bytes())
            };
            assert_eq!(is_utf8(variable), expected, "{variables:?}");
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
