//! Error numbers of the operating system, with the names and the texts that Erlang shows for them.
//!
//! Invariant: an [`Errno`] is a value, never "the last error". `rustix` returns its errors as values; whoever calls the
//! C library reads `errno` at once, on the thread that made the call.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

/// The error number of a system call that failed.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Errno(pub i32);

/// The result of functions that the operating system may refuse.
pub type Result<T> = std::result::Result<T, Errno>;

/// Whether names are those of OTP 29 and later.
static HAS_LATER_NAMES: AtomicBool = AtomicBool::new(false);

/// Has the names of [`Errno::name`] be those of OTP 29 and later. Called once, before any is asked for.
pub fn use_later_names() {
    HAS_LATER_NAMES.store(true, Ordering::Relaxed);
}

/// `errno_85`: made when it is first asked for, and kept, as there are few numbers without a name.
fn numbered(number: i32) -> &'static str {
    static MADE: Mutex<BTreeMap<i32, &'static str>> = Mutex::new(BTreeMap::new());
    let mut made = MADE.lock();
    made.entry(number)
        .or_insert_with(|| Box::leak(format!("errno_{number}").into_boxed_str()))
}

/// One row per error number that OTP has a name for; the constant derives the associated constant of
/// [`Errno`] and the lower-case name. Those after `later` have it since OTP 29. `EDEADLOCK`, `EOPNOTSUPP` and
/// `EWOULDBLOCK` share their numbers with `EDEADLK`, `ENOTSUP` and `EAGAIN` on Linux, and OTP reports the latter names.
macro_rules! names {
    ($($constant:ident = $name:literal,)*; later: $($later:path = $later_name:literal,)*) => {
        #[allow(missing_docs)]
        impl Errno {
            $(pub const $constant: Errno = Errno(libc::$constant);)*
        }

        #[cfg(test)]
        const NAMED: &[(Errno, &str)] = &[$((Errno::$constant, $name),)*];

        impl Errno {
            /// The name as Erlang spells it (`enoent`). For a number OTP has no name for, `unknown`, or from OTP 29 on
            /// `errno_` and the number.
            pub fn name(self) -> &'static str {
                match self.0 {
                    $(libc::$constant => $name,)*
                    _ if !HAS_LATER_NAMES.load(Ordering::Relaxed) => "unknown",
                    $($later => $later_name,)*
                    number => numbered(number),
                }
            }
        }
    };
}

/// A file of the wrong kind, which the `libc` crate does not know.
const EFTYPE: i32 = 134;

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
    ; later:
    libc::ERESTART = "erestart",
    libc::ESTRPIPE = "estrpipe",
    libc::EISNAM = "eisnam",
    libc::ENOMEDIUM = "enomedium",
    libc::EMEDIUMTYPE = "emediumtype",
    libc::ECANCELED = "ecanceled",
    libc::ENOKEY = "enokey",
    libc::EKEYEXPIRED = "ekeyexpired",
    libc::EKEYREVOKED = "ekeyrevoked",
    libc::EKEYREJECTED = "ekeyrejected",
    libc::EOWNERDEAD = "eownerdead",
    libc::ENOTRECOVERABLE = "enotrecoverable",
    libc::ERFKILL = "erfkill",
    libc::EHWPOISON = "ehwpoison",
    EFTYPE = "eftype",
}

impl Errno {
    /// The C library's `errno`: why this thread's last call of the C library failed. Calls of `rustix` do not set it.
    pub fn last() -> Errno {
        Errno(
            std::io::Error::last_os_error()
                .raw_os_error()
                .unwrap_or(libc::EIO),
        )
    }

    /// The text the operating system has for this error ("No such file or directory").
    pub fn message(self) -> String {
        let text = std::io::Error::from(self).to_string();
        // The standard library appends the number.
        match text.strip_suffix(&format!(" (os error {})", self.0)) {
            Some(message) => message.to_owned(),
            None => text,
        }
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

impl From<rustix::io::Errno> for Errno {
    #[inline]
    fn from(error: rustix::io::Errno) -> Errno {
        Errno(error.raw_os_error())
    }
}

impl From<std::io::Error> for Errno {
    /// An error that did not come from the system (a short read, invalid UTF-8...) becomes `eio`.
    fn from(error: std::io::Error) -> Errno {
        Errno(error.raw_os_error().unwrap_or(libc::EIO))
    }
}

/// Turns the result of a C library call into a [`Result`]: `-1` means failure, with the reason in `errno`.
pub(crate) fn check(answer: libc::c_int) -> Result<libc::c_int> {
    if answer == -1 {
        Err(Errno::last())
    } else {
        Ok(answer)
    }
}

/// As [`check`], for calls that return a count or an offset.
pub(crate) fn check_size(answer: isize) -> Result<usize> {
    usize::try_from(answer).map_err(|_| Errno::last())
}

/// Repeats a call while signals interrupt it.
#[inline]
pub(crate) fn retry<T>(mut call: impl FnMut() -> Result<T>) -> Result<T> {
    loop {
        match call() {
            Err(Errno::EINTR) => {}
            answer => return answer,
        }
    }
}

/// As [`retry`], for calls of `rustix`.
#[inline]
pub(crate) fn repeat<T>(call: impl FnMut() -> rustix::io::Result<T>) -> Result<T> {
    Ok(rustix::io::retry_on_intr(call)?)
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
