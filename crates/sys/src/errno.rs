//! Error numbers of the operating system, with the names and the texts that Erlang shows for them.
//!
//! Invariant: an [`Errno`] is a value, never "the last error": whoever calls the system reads `errno`
//! at once, on the thread that made the call.

use std::ffi::CStr;
use std::fmt;

/// What a system call answered instead of success.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Errno(pub i32);

/// The result of everything in this crate that may fail in the operating system.
pub type Result<T> = std::result::Result<T, Errno>;

/// One row per error number that OTP has a name for; the constant derives the associated constant of
/// [`Errno`] and the lower-case name. `EDEADLOCK`, `EOPNOTSUPP` and `EWOULDBLOCK` share their numbers with
/// `EDEADLK`, `ENOTSUP` and `EAGAIN` on Linux, and OTP reports the latter names.
macro_rules! names {
    ($($constant:ident = $name:literal,)*) => {
        #[allow(missing_docs)]
        impl Errno {
            $(pub const $constant: Errno = Errno(libc::$constant);)*
        }

        /// Every named error number, for tests and for tables that are built once.
        pub const NAMED: &[(Errno, &str)] = &[$((Errno::$constant, $name),)*];

        impl Errno {
            /// The name as Erlang spells it (`enoent`), or `unknown` for a number OTP has no name for.
            pub fn name(self) -> &'static str {
                match self.0 {
                    $(libc::$constant => $name,)*
                    _ => "unknown",
                }
            }
        }
    };
}

names! {
    E2BIG = "e2big",
    EACCES = "eacces",
    EADDRINUSE = "eaddrinuse",
    EADDRNOTAVAIL = "eaddrnotavail",
    EADV = "eadv",
    EAFNOSUPPORT = "eafnosupport",
    EAGAIN = "eagain",
    EALREADY = "ealready",
    EBADE = "ebade",
    EBADF = "ebadf",
    EBADFD = "ebadfd",
    EBADMSG = "ebadmsg",
    EBADR = "ebadr",
    EBADRQC = "ebadrqc",
    EBADSLT = "ebadslt",
    EBFONT = "ebfont",
    EBUSY = "ebusy",
    ECHILD = "echild",
    ECHRNG = "echrng",
    ECOMM = "ecomm",
    ECONNABORTED = "econnaborted",
    ECONNREFUSED = "econnrefused",
    ECONNRESET = "econnreset",
    EDEADLK = "edeadlk",
    EDESTADDRREQ = "edestaddrreq",
    EDOM = "edom",
    EDOTDOT = "edotdot",
    EDQUOT = "edquot",
    EEXIST = "eexist",
    EFAULT = "efault",
    EFBIG = "efbig",
    EHOSTDOWN = "ehostdown",
    EHOSTUNREACH = "ehostunreach",
    EIDRM = "eidrm",
    EILSEQ = "eilseq",
    EINPROGRESS = "einprogress",
    EINTR = "eintr",
    EINVAL = "einval",
    EIO = "eio",
    EISCONN = "eisconn",
    EISDIR = "eisdir",
    EISNAM = "eisnam",
    EL2HLT = "el2hlt",
    EL2NSYNC = "el2nsync",
    EL3HLT = "el3hlt",
    EL3RST = "el3rst",
    ELIBACC = "elibacc",
    ELIBBAD = "elibbad",
    ELIBEXEC = "elibexec",
    ELIBMAX = "elibmax",
    ELIBSCN = "elibscn",
    ELNRNG = "elnrng",
    ELOOP = "eloop",
    EMFILE = "emfile",
    EMLINK = "emlink",
    EMSGSIZE = "emsgsize",
    EMULTIHOP = "emultihop",
    ENAMETOOLONG = "enametoolong",
    ENAVAIL = "enavail",
    ENETDOWN = "enetdown",
    ENETRESET = "enetreset",
    ENETUNREACH = "enetunreach",
    ENFILE = "enfile",
    ENOANO = "enoano",
    ENOBUFS = "enobufs",
    ENOCSI = "enocsi",
    ENODATA = "enodata",
    ENODEV = "enodev",
    ENOENT = "enoent",
    ENOEXEC = "enoexec",
    ENOLCK = "enolck",
    ENOLINK = "enolink",
    ENOMEM = "enomem",
    ENOMSG = "enomsg",
    ENONET = "enonet",
    ENOPKG = "enopkg",
    ENOPROTOOPT = "enoprotoopt",
    ENOSPC = "enospc",
    ENOSR = "enosr",
    ENOSTR = "enostr",
    ENOSYS = "enosys",
    ENOTBLK = "enotblk",
    ENOTCONN = "enotconn",
    ENOTDIR = "enotdir",
    ENOTEMPTY = "enotempty",
    ENOTNAM = "enotnam",
    ENOTSOCK = "enotsock",
    ENOTSUP = "enotsup",
    ENOTTY = "enotty",
    ENOTUNIQ = "enotuniq",
    ENXIO = "enxio",
    EOVERFLOW = "eoverflow",
    EPERM = "eperm",
    EPFNOSUPPORT = "epfnosupport",
    EPIPE = "epipe",
    EPROTO = "eproto",
    EPROTONOSUPPORT = "eprotonosupport",
    EPROTOTYPE = "eprototype",
    ERANGE = "erange",
    EREMCHG = "eremchg",
    EREMOTE = "eremote",
    EREMOTEIO = "eremoteio",
    EROFS = "erofs",
    ESHUTDOWN = "eshutdown",
    ESOCKTNOSUPPORT = "esocktnosupport",
    ESPIPE = "espipe",
    ESRCH = "esrch",
    ESRMNT = "esrmnt",
    ESTALE = "estale",
    ETIME = "etime",
    ETIMEDOUT = "etimedout",
    ETOOMANYREFS = "etoomanyrefs",
    ETXTBSY = "etxtbsy",
    EUCLEAN = "euclean",
    EUNATCH = "eunatch",
    EUSERS = "eusers",
    EXDEV = "exdev",
    EXFULL = "exfull",
}

impl Errno {
    /// The error of the system call that this thread made last.
    pub fn last() -> Errno {
        Errno(
            std::io::Error::last_os_error()
                .raw_os_error()
                .unwrap_or(libc::EIO),
        )
    }

    /// The text the operating system has for this error ("No such file or directory").
    pub fn message(self) -> String {
        let mut text: [libc::c_char; 256] = [0; 256];
        // SAFETY: the buffer is writable for the length passed; the XSI variant, which the libc crate
        // binds, writes a terminated text into it and nothing else.
        let failed = unsafe { libc::strerror_r(self.0, text.as_mut_ptr(), text.len() - 1) } != 0;
        // SAFETY: the last byte of the buffer was zero from the start and out of the call's reach.
        let text = unsafe { CStr::from_ptr(text.as_ptr()) };
        if failed && text.is_empty() {
            return format!("Unknown error {}", self.0);
        }
        text.to_string_lossy().into_owned()
    }
}

impl fmt::Debug for Errno {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}({})", self.name(), self.0)
    }
}

impl fmt::Display for Errno {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} ({})", self.message(), self.name())
    }
}

impl std::error::Error for Errno {}

impl From<Errno> for std::io::Error {
    fn from(error: Errno) -> std::io::Error {
        std::io::Error::from_raw_os_error(error.0)
    }
}

impl From<std::io::Error> for Errno {
    /// An error that did not come from the system (a short read, bad UTF-8...) becomes `eio`.
    fn from(error: std::io::Error) -> Errno {
        Errno(error.raw_os_error().unwrap_or(libc::EIO))
    }
}

/// `-1` means that `errno` says why; anything else is the answer.
pub(crate) fn check(answer: libc::c_int) -> Result<libc::c_int> {
    if answer == -1 {
        Err(Errno::last())
    } else {
        Ok(answer)
    }
}

/// As [`check`], for the calls that answer with a count or an offset.
pub(crate) fn check_size(answer: isize) -> Result<usize> {
    usize::try_from(answer).map_err(|_| Errno::last())
}

/// Repeats a call that a signal interrupted.
pub(crate) fn retry<T>(mut call: impl FnMut() -> Result<T>) -> Result<T> {
    loop {
        match call() {
            Err(Errno::EINTR) => {}
            answer => return answer,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aliases_have_the_name_otp_reports() {
        assert_eq!(Errno(libc::EWOULDBLOCK).name(), "eagain");
        assert_eq!(Errno(libc::EOPNOTSUPP).name(), "enotsup");
        assert_eq!(Errno(libc::EDEADLOCK).name(), "edeadlk");
        assert_eq!(Errno(libc::ENOTEMPTY).name(), "enotempty");
        assert_eq!(Errno(libc::ECANCELED).name(), "unknown");
        assert_eq!(Errno(0).name(), "unknown");
    }

    #[test]
    fn every_name_belongs_to_one_number() {
        for (number, (errno, name)) in NAMED.iter().enumerate() {
            assert_eq!(errno.name(), *name);
            assert!(
                NAMED[number + 1..].iter().all(|(other, _)| other != errno),
                "{name}"
            );
        }
    }

    #[test]
    fn messages_come_from_the_system() {
        assert_eq!(Errno::ENOENT.message(), "No such file or directory");
        assert!(Errno(99_999).message().contains("99999"));
    }
}
