//! A program in one file: how it is made (`ferl pack`, [`pack`]), and how it starts.
//!
//! [`start`] opens what the program carries, shows it to the node, and makes the words that `erl` would get: [`mix`]
//! and [`relx`] know the commands of releases, [`escript`] starts scripts. No shell is needed for any of it but where
//! they say so.

mod carried;
mod daemon;
mod env_sh;
mod escript;
mod gather;
mod mix;
mod pack;
mod relx;

use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

use programs::Program;
use ship::ShipError;
use ship::image::{ERL, ERTS, Image};
use ship::seal::Seal;
use ship::start_modules::StartModules;
use sys::errno::Errno;
use sys::file::packed;

use crate::environment::Environment;
use crate::otp::{Caller, Otp};
use crate::refusal::Refusal;
use crate::words::Word;
use carried::{Act, Carried};

pub(crate) use pack::PackOptions;
pub use pack::main;

/// What a packed program does with its words.
pub enum Start {
    /// Starts a node: the OTP that the program carries, the words as `erl` would get them, the environment.
    Node(Box<Otp>, Vec<Word>, Environment),
    /// Prints this and ends with this status.
    Answer(String, u8),
}

/// What to do if this program is a packed one, called by that name; `None` if it is ferl alone. From then on the node
/// sees the files that the program carries. Where another program is to do it (`run_erl`, `to_erl`, the shell), that is
/// executed at once.
pub fn start(
    caller: &Caller,
    called: &Path,
    typed: &[Word],
    environment: Environment,
) -> Result<Option<Start>, Refusal> {
    let Some(seal) = Seal::own() else {
        return Ok(None);
    };
    let refused = |error: ShipError| Refusal::plain(format!("ferl: {error}"));
    let program = caller
        .file()
        .map_err(|error| Refusal::plain(format!("ferl: {error}")))?;
    let opened = Image::open(program, &seal);
    let is_erl = called.starts_with(program) && called.ends_with(ERL);
    // Also what is damaged can be asked what is. All words of a script are its own.
    let is_script = opened.as_ref().is_ok_and(is_script);
    let own_word: &[u8] = if is_script {
        b"--ferl-verify"
    } else {
        b"--verify"
    };
    if let Some((first, rest)) = typed.split_first()
        && first == own_word
        && !is_erl
    {
        let (text, status) = pack::verify_own(program, rest);
        return Ok(Some(Start::Answer(text, status)));
    }
    let mut image = opened.map_err(refused)?;
    if image.fact("tool") != "mix" {
        relx::expand(&mut image, &environment);
    }
    let image = Arc::new(image);
    let erts_version = image.fact(ERTS);
    let otp = Otp {
        start_modules: StartModules::Carried {
            program: program.to_owned(),
            erts_version: erts_version.to_owned(),
        },
        ..Otp::at(program, erts_version)
    };
    packed::set(
        program.as_os_str().as_bytes().to_vec(),
        Box::new(Arc::clone(&image)),
    );
    let mut carried = Carried {
        program: program.to_owned(),
        image,
        otp,
        environment,
    };
    // The path of this file, whatever the name by which it was called. Of a script all words are its own, so its nodes
    // are started by another name. OTP takes what follows a space for an argument.
    let name = match is_script {
        true => carried.otp.bin.join(ERL),
        false => program.to_owned(),
    };
    if !name.as_os_str().as_bytes().contains(&b' ') {
        let name = name.as_os_str().as_bytes();
        carried.environment.set(b"PROGNAME", name);
    }
    let act = match is_erl {
        true => clean(&carried, typed),
        false => obey(&mut carried, typed),
    };
    Ok(Some(match act? {
        Act::Node(words) => {
            packed::is_permitted().map_err(|error| in_memory_refused(program, error))?;
            Start::Node(Box::new(carried.otp), words, carried.environment)
        }
        Act::Answer(text, status) => Start::Answer(text, status),
    }))
}

fn in_memory_refused(program: &Path, error: Errno) -> Refusal {
    Refusal::plain(format!(
        "ferl: {}: the system refuses files in memory (memfd_create: {}), through which a packed file is read",
        program.display(),
        error.message()
    ))
}

fn is_script(image: &Image) -> bool {
    image.fact("kind") == "escript"
}

/// A node with these flags, the libraries that are carried, and nothing started.
fn clean(carried: &Carried, words: &[Word]) -> Result<Act, Refusal> {
    let mut all =
        relx::boot(carried, &["start_clean"]).ok_or_else(|| relx::no_clean_script(carried))?;
    all.extend(words.iter().cloned());
    Ok(Act::Node(all))
}

/// Starts the script, or carries out a command of the release.
fn obey(carried: &mut Carried, typed: &[Word]) -> Result<Act, Refusal> {
    if is_script(&carried.image) {
        return Ok(Act::Node(escript::start(carried, typed)));
    }
    let (command, rest) = match typed.split_first() {
        // What follows `--` is the release's own.
        Some((first, rest)) if first == b"--" => (&b"start"[..], rest),
        Some((first, rest)) => (first.as_slice(), rest),
        None => (&b"start"[..], typed),
    };
    if let Some(program) = Program::named(command) {
        // It prints by itself.
        return Ok(Act::Answer(String::new(), program.run(rest)));
    }
    match command {
        // Nodes start nodes by the program's name and flags.
        [b'-' | b'+', ..] => return clean(carried, typed),
        b"erl" => return clean(carried, rest),
        daemon::EXACT => return Ok(Act::Node(rest.to_vec())),
        _ => {}
    }
    let command = String::from_utf8_lossy(command).into_owned();
    let is_mix = carried.is_mix();
    let done = match is_mix {
        true => mix::obey(carried, &command, typed, rest)?,
        false => relx::obey(carried, &command, rest)?,
    };
    done.ok_or_else(|| {
        Refusal::plain(format!(
            "{}: there is no command {command}. There are: {}, erl FLAGS, epmd WORDS, --verify. Arguments for the \
             release follow start, or --.",
            carried.program.display(),
            if is_mix { mix::COMMANDS } else { relx::COMMANDS }
        ))
    })
}
