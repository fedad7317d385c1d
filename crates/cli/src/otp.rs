//! Finds the OTP libraries to boot: those that a start script names, else in `FERL_OTP`, else in the OTP or release
//! that this program is in, else in `ROOTDIR`, else at the `erl` on `PATH` (symbolic links resolved), else in the usual
//! places. A release that this ferl cannot boot is rejected by its number, before any of its files are loaded. Only in
//! `ROOTDIR` is it passed over: a node of another release leaves that variable to the programs that it starts. Main
//! thread only.
//!
//! An installed OTP has the modules to start with beside its libraries. Releases built from it do not, because stock's
//! VM contains them: then they are those that this program carries, or in the release's own copy of stock's VM, or
//! those of an installed OTP with the same version ([`ship::start_modules`]).

use std::ffi::OsStr;
use std::fmt::{self, Display};
use std::fs;
use std::io::{ErrorKind, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use ship::erts::Origin;
use ship::start_modules::StartModules;
use spec::Release;
use spec::release::Support;

use crate::environment::Environment;

/// Where OTP is usually installed.
const USUAL_PLACES: &[&str] = &[
    "/usr/lib/erlang",
    "/usr/lib64/erlang",
    "/usr/local/lib/erlang",
    "/usr/local/lib64/erlang",
    "/opt/erlang/lib/erlang",
    "/opt/erlang",
];
/// The difference between the numbers of a release and its emulator: emulator 13 belongs to OTP 25.
const RELEASE_MINUS_ERTS: u8 = 12;
/// How much of a start script is searched for `ROOTDIR=`.
const SCRIPT_BYTES: u64 = 64 << 10;

/// An installed OTP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Otp {
    /// The root directory, as returned by `code:root_dir()`.
    pub root: PathBuf,
    /// The emulator's version, such as `13.1.5`.
    pub erts_version: String,
    /// The release, such as 25.
    pub release: Release,
    /// OTP's own programs: `inet_gethost`, `epmd`, `heart`, ...
    pub bin: PathBuf,
    /// The modules that are loaded before any code server runs.
    pub start_modules: StartModules,
}

/// The program that looks for an OTP.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Caller {
    /// Its file, links resolved; `None` if the system does not tell.
    pub program: Option<PathBuf>,
    /// It was called by the name of stock's VM, by a script that has set ROOTDIR, BINDIR and PROGNAME for it.
    pub by_script: bool,
}

impl Caller {
    /// This process, called by that name.
    #[must_use]
    pub fn own(called: &Path) -> Caller {
        let program = std::env::current_exe().ok();
        Caller {
            program: program.and_then(|program| fs::canonicalize(program).ok()),
            by_script: called.file_name().is_some_and(|name| name == "beam.smp"),
        }
    }

    /// This program's file, for a command that copies it.
    pub(crate) fn file(&self) -> Result<&Path, String> {
        let unknown = || "cannot tell where this program is: /proc is not mounted".to_owned();
        self.program.as_deref().ok_or_else(unknown)
    }

    /// The OTP or release that the program is in.
    fn root(&self) -> Option<PathBuf> {
        let root = root_above(self.program.as_deref()?)?;
        is_root(&root).then_some(root)
    }
}

/// Why no OTP can be booted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OtpError {
    /// No OTP was found in any of the places.
    NotFound,
    /// A variable names a place without an OTP.
    NotThere {
        variable: &'static str,
        path: PathBuf,
    },
    /// The system does not let this user look into a folder.
    Unreadable { path: PathBuf, error: ErrorKind },
    /// The emulator version cannot be determined.
    NoVersion { root: PathBuf },
    /// A release that this ferl cannot boot.
    Unsupported { root: PathBuf, release: Release },
    /// The modules to start with are nowhere.
    NoStartModules { root: PathBuf, erts_version: String },
}

impl Otp {
    /// Finds an OTP that can be booted: its release is supported and its start modules exist.
    pub fn find(environment: &Environment, caller: &Caller) -> Result<Otp, OtpError> {
        Otp::find_any(environment, caller, false)
    }

    /// As [`Otp::find`]. With `at_own_risk`, also one whose release is not supported.
    pub fn find_any(
        environment: &Environment,
        caller: &Caller,
        at_own_risk: bool,
    ) -> Result<Otp, OtpError> {
        let otp = match Otp::named_by_script(environment, caller) {
            Some(otp) => otp,
            None => Otp::open(find_root(environment, caller)?)?,
        };
        otp.with_start_modules(environment, caller, at_own_risk)
    }

    /// What a start script means: the root and the programs that it names. They need not belong together: a release
    /// without an emulator is started with that of an installed OTP.
    fn named_by_script(environment: &Environment, caller: &Caller) -> Option<Otp> {
        let variable = |name| {
            let value = environment
                .get_non_empty(name)
                .filter(|_| caller.by_script)?;
            Some(PathBuf::from(OsStr::from_bytes(value)))
        };
        let (root, bin) = (variable("ROOTDIR")?, variable("BINDIR")?);
        let erts = bin.parent()?.file_name()?.to_str()?;
        let erts_version = erts.strip_prefix("erts-")?;
        release_of(erts_version)?;
        let otp = Otp::at(root, erts_version);
        Some(Otp { bin, ..otp })
    }

    /// The OTP or release in `root`, if it can be booted.
    pub fn find_in(
        root: PathBuf,
        environment: &Environment,
        caller: &Caller,
    ) -> Result<Otp, OtpError> {
        Otp::open(root)?.with_start_modules(environment, caller, false)
    }

    fn with_start_modules(
        mut self,
        environment: &Environment,
        caller: &Caller,
        at_own_risk: bool,
    ) -> Result<Otp, OtpError> {
        if !at_own_risk && self.release.support() == Support::None {
            return Err(OtpError::Unsupported {
                root: self.root,
                release: self.release,
            });
        }
        let version = &self.erts_version;
        let program = caller.program.as_deref();
        let named = root_of_variable("FERL_OTP", environment).ok().flatten();
        let found = StartModules::find(&self.root, version, program).or_else(|| {
            named
                .into_iter()
                .chain(installed_roots(environment))
                .find_map(|root| StartModules::find(&root, version, None))
        });
        match found {
            Some(found) => {
                self.start_modules = found;
                Ok(self)
            }
            None => Err(OtpError::NoStartModules {
                root: self.root,
                erts_version: self.erts_version,
            }),
        }
    }

    /// The OTP in `root`, whether or not it can be booted.
    pub fn open(root: PathBuf) -> Result<Otp, OtpError> {
        let version = started_version(&root).or_else(|| highest_version(&root));
        match version {
            Some(version) if release_of(&version).is_some() => Ok(Otp::at(root, &version)),
            _ => Err(unreadable(&root).unwrap_or(OtpError::NoVersion { root })),
        }
    }

    /// The OTP with this emulator version under `root`, without access to the file system.
    pub fn at(root: impl Into<PathBuf>, erts_version: &str) -> Otp {
        let root = root.into();
        let erts = format!("erts-{erts_version}");
        Otp {
            release: release_of(erts_version).unwrap_or(Release::of(0)),
            bin: root.join(&erts).join("bin"),
            start_modules: StartModules::Folder(StartModules::folder_of(&root, erts_version)),
            erts_version: erts_version.to_owned(),
            root,
        }
    }

    /// As what goes into releases is made from it.
    pub(crate) fn origin(&self) -> Origin<'_> {
        Origin {
            root: &self.root,
            erts_version: &self.erts_version,
            start_modules: &self.start_modules,
        }
    }

    pub fn root_bytes(&self) -> &[u8] {
        self.root.as_os_str().as_bytes()
    }

    pub fn bin_bytes(&self) -> &[u8] {
        self.bin.as_os_str().as_bytes()
    }
}

/// The release that an emulator version belongs to.
fn release_of(erts_version: &str) -> Option<Release> {
    let major: u8 = erts_version.split('.').next()?.parse().ok()?;
    major.checked_add(RELEASE_MINUS_ERTS).map(Release::of)
}

/// What the command line asks about the OTP to boot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Search {
    /// To boot one that is supported.
    Supported,
    /// To boot what is found (`+otp_try`).
    Try,
    /// To list what is found (`+otp`).
    List,
}

/// Takes ferl's own flags about the OTP to boot, which stock does not have, from the words typed.
#[must_use]
pub fn take_search(mut typed: Vec<Vec<u8>>) -> (Vec<Vec<u8>>, Search) {
    let ends = |word: &Vec<u8>| word == b"--" || word == b"-extra";
    let end = typed.iter().position(ends).unwrap_or(typed.len());
    let search_of = |word: &Vec<u8>| match &word[..] {
        b"+otp" => Some(Search::List),
        b"+otp_try" => Some(Search::Try),
        _ => None,
    };
    match typed[..end]
        .iter()
        .position(|word| search_of(word).is_some())
    {
        Some(place) => {
            let search = search_of(&typed.remove(place)).unwrap_or(Search::Supported);
            (typed, search)
        }
        None => (typed, Search::Supported),
    }
}

/// Every OTP on this host that can be found: that of `FERL_OTP`, of `ROOTDIR`, the one that the program is in, of the
/// `erl` programs on `PATH`, and those in the usual places.
pub fn all(environment: &Environment, caller: &Caller) -> Vec<Otp> {
    let named = ["FERL_OTP", "ROOTDIR"].into_iter().filter_map(|variable| {
        let value = environment.get_non_empty(variable)?;
        root_in(Path::new(OsStr::from_bytes(value)))
    });
    let mut found: Vec<Otp> = Vec::new();
    for root in named
        .chain(caller.root())
        .chain(installed_roots(environment))
    {
        let root = fs::canonicalize(&root).unwrap_or(root);
        if !found.iter().any(|otp| otp.root == root) {
            found.extend(Otp::open(root));
        }
    }
    found
}

/// What `ferl +otp` prints: the releases on this host, what is to be expected of each, and which one would be booted.
#[must_use]
pub fn report(environment: &Environment, caller: &Caller) -> String {
    let booted = Otp::find(environment, caller);
    let mut text = String::new();
    for otp in all(environment, caller) {
        let booted_root = booted.as_ref().ok().map(|booted| &booted.root);
        let is_booted = booted_root
            .is_some_and(|root| fs::canonicalize(root).unwrap_or(root.clone()) == otp.root);
        let mark = if is_booted { "*" } else { " " };
        let state = match otp.release.support() {
            Support::Whole => "supported",
            Support::Partial => "boots; differences from stock are known",
            Support::None if otp.release.is_unknown_newer() => "not known to this ferl; +otp_try",
            Support::None => "not supported; +otp_try",
        };
        text.push_str(&format!(
            "{mark} OTP {} (erts {}): {}: {state}\n",
            otp.release,
            otp.erts_version,
            otp.root.display()
        ));
    }
    if let Err(error) = booted {
        text.push_str(&format!("nothing would be booted: {error}\n"));
    }
    text
}

fn find_root(environment: &Environment, caller: &Caller) -> Result<PathBuf, OtpError> {
    if let Some(root) = root_of_variable("FERL_OTP", environment)? {
        return Ok(root);
    }
    // A script that calls the VM means the root that it names. Who calls ferl by another name gets the variable from
    // whatever node has started it.
    let own = caller.root().filter(|_| !caller.by_script);
    if let Some(root) = own {
        return Ok(root);
    }
    if let Some(root) = root_of_variable("ROOTDIR", environment)? {
        let inherited = (!is_supported(&root))
            .then(|| installed_roots(environment).find(|root| is_supported(root)));
        return Ok(inherited.flatten().unwrap_or(root));
    }
    caller
        .root()
        .or_else(|| installed_roots(environment).next())
        .ok_or(OtpError::NotFound)
}

/// The root that a variable names, if it is set.
fn root_of_variable(
    variable: &'static str,
    environment: &Environment,
) -> Result<Option<PathBuf>, OtpError> {
    let Some(value) = environment.get_non_empty(variable) else {
        return Ok(None);
    };
    let path = PathBuf::from(OsStr::from_bytes(value));
    match root_in(&path) {
        Some(root) => Ok(Some(root)),
        None => Err(unreadable(&path).unwrap_or(OtpError::NotThere { variable, path })),
    }
}

fn is_supported(root: &Path) -> bool {
    Otp::open(root.to_owned()).is_ok_and(|otp| otp.release.support() != Support::None)
}

/// The roots of installed OTPs: those of the `erl` programs on `PATH`, then those in the usual places.
fn installed_roots(environment: &Environment) -> impl Iterator<Item = PathBuf> {
    let path = OsStr::from_bytes(environment.get("PATH").unwrap_or_default());
    std::env::split_paths(path)
        .filter_map(|directory| root_of_program(&directory.join("erl")))
        .chain(
            USUAL_PLACES
                .iter()
                .filter_map(|place| root_in(Path::new(place))),
        )
}

/// The OTP root at `path`: `path` itself, or `lib/erlang` below it if `path` is the prefix of an installation.
fn root_in(path: &Path) -> Option<PathBuf> {
    [path.to_owned(), path.join("lib/erlang")]
        .into_iter()
        .find(|root| is_root(root))
}

pub(crate) fn is_root(path: &Path) -> bool {
    path.join("lib").is_dir() && path.join("releases").is_dir()
}

/// Why the folder of an OTP or release, or what is in it, may not be looked at; `None` if that is not what is wrong.
pub(crate) fn unreadable(path: &Path) -> Option<OtpError> {
    let is_denied = |path: PathBuf| {
        let error = fs::read_dir(&path).err()?.kind();
        (error == ErrorKind::PermissionDenied).then_some(OtpError::Unreadable { path, error })
    };
    [path.to_owned(), path.join("lib"), path.join("releases")]
        .into_iter()
        .find_map(is_denied)
}

/// The root that an `erl` program belongs to. It is a script in the root's `bin`; a copy of the
/// script elsewhere still names its root.
fn root_of_program(program: &Path) -> Option<PathBuf> {
    let program = fs::canonicalize(program).ok()?;
    root_in(&root_above(&program)?).or_else(|| root_in(&root_named_by(&program)?))
}

/// The folder that would be the root of an OTP or release if this program is in its `bin` or `erts-VERSION/bin`.
fn root_above(program: &Path) -> Option<PathBuf> {
    let root = program.parent()?.parent()?;
    let name = root.file_name().unwrap_or_default();
    let is_erts = name.as_bytes().starts_with(b"erts-");
    let root = if is_erts { root.parent()? } else { root };
    Some(root.to_owned())
}

fn root_named_by(script: &Path) -> Option<PathBuf> {
    let mut text = Vec::new();
    let file = fs::File::open(script).ok()?;
    file.take(SCRIPT_BYTES).read_to_end(&mut text).ok()?;
    text.split(|&byte| byte == b'\n').find_map(|line| {
        let value = line.trim_ascii().strip_prefix(b"ROOTDIR=")?;
        let value = value.strip_prefix(b"\"").unwrap_or(value);
        let value = value.strip_suffix(b"\"").unwrap_or(value);
        value
            .starts_with(b"/")
            .then(|| PathBuf::from(OsStr::from_bytes(value)))
    })
}

/// The version of the emulator that `start_erl` would run: `releases/start_erl.data` contains it and the version of the
/// release.
fn started_version(root: &Path) -> Option<String> {
    let data = fs::read_to_string(root.join("releases/start_erl.data")).ok()?;
    let version = data.split_whitespace().next()?.to_owned();
    let erts = format!("erts-{version}");
    let is_there = root.join(&erts).is_dir() || root.join("lib").join(&erts).is_dir();
    is_there.then_some(version)
}

/// The version of the newest emulator under `root`.
fn highest_version(root: &Path) -> Option<String> {
    let numbers = |version: &str| -> Vec<u32> {
        version
            .split(['.', '-'])
            .map(|part| part.parse().unwrap_or_default())
            .collect()
    };
    fs::read_dir(root)
        .ok()?
        .filter_map(|entry| {
            let name = entry.ok()?.file_name().into_string().ok()?;
            Some(name.strip_prefix("erts-")?.to_owned())
        })
        .max_by_key(|version| numbers(version))
}

/// `{:#}` leaves out how to have ferl find another OTP, for commands that were told which one is meant.
impl Display for OtpError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_named = out.alternate();
        match self {
            OtpError::NotFound => write!(
                out,
                "no OTP found: install Debian's erlang-base or set FERL_OTP=/path/to/lib/erlang (`ferl help` works \
                 without one)"
            ),
            OtpError::Unreadable { path, error } => write!(
                out,
                "{} cannot be read: {error}: change its permissions, or name another folder",
                path.display()
            ),
            OtpError::NotThere { variable, path } => write!(
                out,
                "{variable} is {}, which does not contain OTP (the folders lib and releases are missing): \
                 set FERL_OTP=/path/to/lib/erlang",
                path.display()
            ),
            OtpError::NoVersion { root } => {
                let advice = match is_named {
                    true => "",
                    false => ": set FERL_OTP=/path/to/lib/erlang",
                };
                write!(
                    out,
                    "cannot tell which OTP {} holds (no releases/start_erl.data, no erts-* directory){advice}",
                    root.display()
                )
            }
            OtpError::Unsupported { root, release } => {
                let supported: Vec<_> = Release::KNOWN
                    .iter()
                    .filter(|release| release.support() != Support::None)
                    .map(Release::to_string)
                    .collect();
                let is_newer = release.is_unknown_newer();
                let state = match is_newer {
                    true => "does not know yet",
                    false => "cannot boot",
                };
                let advice = match (is_named, is_newer) {
                    (true, _) => "",
                    (false, true) => {
                        ": set FERL_OTP=/path/to/lib/erlang to one of those, or try it at your own risk: +otp_try"
                    }
                    (false, false) => ": set FERL_OTP=/path/to/lib/erlang to one of those",
                };
                write!(
                    out,
                    "{} holds OTP {release}, which this version of ferl {state}; it boots OTP {}{advice}",
                    root.display(),
                    supported.join(", ")
                )
            }
            OtpError::NoStartModules { root, erts_version } => write!(
                out,
                "the OTP in {} has no {}, where the modules to start with should be, and no emulator of stock with \
                 them: install all of Debian's erlang-base, or set FERL_OTP=/path/to/lib/erlang, or make a release \
                 that has them: ferl erts --replace",
                root.display(),
                StartModules::folder_of(root, erts_version)
                    .join("init.beam")
                    .display()
            ),
        }
    }
}

impl std::error::Error for OtpError {}

#[cfg(test)]
mod tests {
    use super::*;

    /// A fake installation, removed when dropped.
    struct Installed(PathBuf);

    impl Installed {
        fn new(name: &str, erts_version: &str) -> Installed {
            let top = std::env::temp_dir().join(format!("ferl-otp-{name}-{}", std::process::id()));
            let root = top.join("lib/erlang");
            for directory in [
                format!("erts-{erts_version}/bin"),
                format!("lib/erts-{erts_version}/ebin"),
                "releases".to_owned(),
                "bin".to_owned(),
            ] {
                fs::create_dir_all(root.join(directory)).unwrap();
            }
            fs::write(
                root.join(format!("lib/erts-{erts_version}/ebin/init.beam")),
                "",
            )
            .unwrap();
            fs::write(root.join("bin/erl"), "#!/bin/sh\n").unwrap();
            Installed(top)
        }

        fn root(&self) -> PathBuf {
            fs::canonicalize(self.0.join("lib/erlang")).unwrap()
        }
    }

    impl Drop for Installed {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn environment(variables: &[(&str, &Path)]) -> Environment {
        variables
            .iter()
            .map(|(name, value)| {
                let value = value.as_os_str().as_bytes();
                (name.as_bytes().to_vec(), value.to_vec())
            })
            .collect()
    }

    #[test]
    fn own_variable_comes_before_the_general_one() {
        let (mine, other) = (
            Installed::new("mine", "13.2"),
            Installed::new("other", "13.1"),
        );
        let both = environment(&[("FERL_OTP", &mine.0), ("ROOTDIR", &other.root())]);
        assert_eq!(
            Otp::find(&both, &Caller::default()).unwrap().erts_version,
            "13.2"
        );
        let general = environment(&[("ROOTDIR", &other.root())]);
        assert_eq!(
            Otp::find(&general, &Caller::default()).unwrap().root,
            other.root()
        );
    }

    #[test]
    fn a_variable_that_leads_nowhere_is_refused() {
        let lost = environment(&[("FERL_OTP", Path::new("/nowhere"))]);
        let error = Otp::find(&lost, &Caller::default()).unwrap_err();
        assert!(matches!(
            error,
            OtpError::NotThere {
                variable: "FERL_OTP",
                ..
            }
        ));
        assert!(error.to_string().contains("/nowhere"));
    }

    #[test]
    fn program_on_the_path_is_followed_through_links() {
        let installed = Installed::new("linked", "13.0");
        let bin = installed.0.join("bin");
        fs::create_dir_all(&bin).unwrap();
        std::os::unix::fs::symlink(installed.root().join("bin/erl"), bin.join("erl")).unwrap();
        let found = Otp::find(&environment(&[("PATH", &bin)]), &Caller::default()).unwrap();
        assert_eq!(found.root, installed.root());
        assert_eq!(found.bin, installed.root().join("erts-13.0/bin"));
    }

    #[test]
    fn a_copied_script_still_names_its_root() {
        let installed = Installed::new("copied", "13.0");
        let bin = installed.0.join("elsewhere/deep/bin");
        fs::create_dir_all(&bin).unwrap();
        let script = format!("#!/bin/sh\n  ROOTDIR={}\n", installed.root().display());
        fs::write(bin.join("erl"), script).unwrap();
        let found = Otp::find(&environment(&[("PATH", &bin)]), &Caller::default()).unwrap();
        assert_eq!(found.root, installed.root());
    }

    #[test]
    fn other_releases_are_refused_by_number() {
        for (version, release) in [("18.0", 30), ("12.3", 24)] {
            let installed = Installed::new("release", version);
            let error = Otp::find(
                &environment(&[("FERL_OTP", &installed.0)]),
                &Caller::default(),
            )
            .unwrap_err();
            let text = error.to_string();
            assert!(
                text.contains(&format!("OTP {release}, ")) && text.contains("boots OTP 25, 27"),
                "{text}"
            );
            assert_eq!(text.contains("+otp_try"), release == 30, "{text}");
            let tried = Otp::find_any(
                &environment(&[("FERL_OTP", &installed.0)]),
                &Caller::default(),
                true,
            );
            assert_eq!(tried.unwrap().release.number(), release);
        }
    }

    #[test]
    fn another_release_that_left_its_root_in_the_environment_is_passed_over() {
        let (left, installed) = (
            Installed::new("left", "18.0"),
            Installed::new("its-own", "13.0"),
        );
        let bin = installed.root().join("bin");
        let both = environment(&[("ROOTDIR", &left.root()), ("PATH", &bin)]);
        assert_eq!(
            Otp::find(&both, &Caller::default()).unwrap().root,
            installed.root()
        );
        let explicit = environment(&[("FERL_OTP", &left.root()), ("PATH", &bin)]);
        let error = Otp::find(&explicit, &Caller::default()).unwrap_err();
        let OtpError::Unsupported { release, .. } = error else {
            panic!("{error:?}");
        };
        assert_eq!(release.number(), 30);
    }

    #[test]
    fn a_partly_supported_release_is_booted() {
        let installed = Installed::new("partly", "15.2.7");
        let found = Otp::find(
            &environment(&[("FERL_OTP", &installed.0)]),
            &Caller::default(),
        )
        .unwrap();
        assert_eq!(found.release, Release::OTP_27);
    }

    #[test]
    fn the_report_marks_what_would_be_booted() {
        let (old, new) = (Installed::new("old", "13.0"), Installed::new("new", "18.0"));
        let path = std::env::join_paths([&old, &new].map(|otp| otp.root().join("bin"))).unwrap();
        let text = report(
            &environment(&[("PATH", Path::new(&path))]),
            &Caller::default(),
        );
        let line = |otp: &Installed| {
            let root = otp.root().display().to_string();
            let found = text.lines().find(|line| line.contains(&root));
            found.unwrap_or_else(|| panic!("{text}")).to_owned()
        };
        assert!(line(&old).starts_with("* OTP 25 ("));
        assert!(line(&new).starts_with("  OTP 30 (") && line(&new).ends_with("+otp_try"));
    }

    #[test]
    fn the_version_to_start_comes_before_the_highest() {
        let installed = Installed::new("versions", "13.1.5");
        let root = installed.root();
        fs::create_dir_all(root.join("erts-13.10/bin")).unwrap();
        assert_eq!(Otp::open(root.clone()).unwrap().erts_version, "13.10");
        fs::write(root.join("releases/start_erl.data"), "13.1.5 25\n").unwrap();
        assert_eq!(Otp::open(root).unwrap().erts_version, "13.1.5");
    }

    #[test]
    fn a_release_takes_the_first_modules_of_an_installed_otp_of_its_version() {
        let release = Installed::new("release-of-it", "13.1.99");
        fs::remove_file(release.root().join("lib/erts-13.1.99/ebin/init.beam")).unwrap();
        let (other, same) = (
            Installed::new("other-version", "13.1.98"),
            Installed::new("same-version", "13.1.99"),
        );
        let path = std::env::join_paths([&other, &same].map(|otp| otp.root().join("bin"))).unwrap();
        let variables = [("ROOTDIR", release.root()), ("PATH", PathBuf::from(path))];
        let variables = variables
            .each_ref()
            .map(|(name, value)| (*name, value.as_path()));
        let found = Otp::find(&environment(&variables), &Caller::default()).unwrap();
        assert_eq!(found.root, release.root());
        assert_eq!(found.bin, release.root().join("erts-13.1.99/bin"));
        assert_eq!(
            found.start_modules,
            StartModules::Folder(same.root().join("lib/erts-13.1.99/ebin"))
        );
        assert!(matches!(
            Otp::find(&environment(&variables[..1]), &Caller::default()).unwrap_err(),
            OtpError::NoStartModules { .. }
        ));
    }

    #[test]
    fn a_program_in_a_release_takes_its_root() {
        let (own, other) = (
            Installed::new("own", "13.0"),
            Installed::new("not-own", "13.2"),
        );
        let both = environment(&[
            ("ROOTDIR", &other.root()),
            ("PATH", &other.root().join("bin")),
        ]);
        for program in ["bin/ferl", "erts-13.0/bin/beam.smp"] {
            let caller = Caller {
                program: Some(own.root().join(program)),
                by_script: false,
            };
            assert_eq!(Otp::find(&both, &caller).unwrap().root, own.root());
            let by_script = Caller {
                by_script: true,
                ..caller
            };
            assert_eq!(Otp::find(&both, &by_script).unwrap().root, other.root());
            // A release that has no emulator, and the programs of an OTP.
            let bare = own.0.join("bare");
            fs::create_dir_all(bare.join("lib")).unwrap();
            let mixed = environment(&[
                ("ROOTDIR", &bare),
                ("BINDIR", &other.root().join("erts-13.2/bin")),
                ("FERL_OTP", &other.root()),
            ]);
            fs::create_dir_all(bare.join("lib/erts-13.2/ebin")).unwrap();
            fs::write(bare.join("lib/erts-13.2/ebin/init.beam"), "").unwrap();
            let found = Otp::find(&mixed, &by_script).unwrap();
            assert_eq!((&found.root, &*found.erts_version), (&bare, "13.2"));
            assert_eq!(found.bin, other.root().join("erts-13.2/bin"));
        }
        let elsewhere = Caller {
            program: Some(own.0.join("bin/ferl")),
            by_script: false,
        };
        assert_eq!(Otp::find(&both, &elsewhere).unwrap().root, other.root());
    }

    #[test]
    fn missing_first_modules_are_reported() {
        let installed = Installed::new("bare", "13.1.99");
        fs::remove_file(installed.root().join("lib/erts-13.1.99/ebin/init.beam")).unwrap();
        let error = Otp::find(
            &environment(&[("FERL_OTP", &installed.0)]),
            &Caller::default(),
        )
        .unwrap_err();
        assert!(matches!(error, OtpError::NoStartModules { .. }));
    }
}
