//! `re`: the BIFs below OTP's `re.erl`. That module handles Unicode, `global` and lists of characters: where these are
//! requested, the BIFs trap to its functions `urun`, `grun` and `ucompile`.

use std::borrow::Cow;
use std::rc::Rc;

use layout::{NoGc, Term, no_gc};
use term::bits::matching::extract;
use term::copy::Owned;
use term::release::{self, Release};
use term::{am, atom, build, unicode};
use term::{iolist, list};

use super::magic;
use regex::{self, Bsr, CompileOptions, Newline, Outcome, Pattern, PatternError, RunOptions};
use runtime::code::bif::{
    BifResult, Failure, badarg, badarg_because, dirty_unless, system_limit, trap,
};
use runtime::mail::current::charge;
use runtime::process::Process;

/// Bytes of a subject that count as one reduction.
const BYTES_PER_REDUCTION: usize = 64;
/// Longer subjects, in bytes, are checked by dirty schedulers, and searched by them if no match starts within so many
/// bytes.
const MOST_BYTES_HERE: usize = 128 * 1024;
/// Longer subjects are searched by dirty schedulers at once: PCRE2 may look through the whole of one for the first byte
/// of a match.
const MOST_BYTES_TRIED: usize = 16 * 1024 * 1024;
/// For subjects of at least this length, in bytes, it is remembered that they are valid UTF-8.
const LONG_SUBJECT: usize = 512;
/// Steps of a match (as `match_limit` counts them) after which it is left to a dirty scheduler, which starts again from
/// the beginning.
const MOST_STEPS_HERE: u32 = 20_000;
/// The `match_limit` if none is given.
const DEFAULT_MATCH_LIMIT: u32 = 10_000_000;

fn badopt() -> Failure {
    badarg_because(am::BADOPT)
}

/// The parsed options, and whether there are any that are only for compiling or only for running.
#[derive(Default)]
struct RegexOptions {
    compile: CompileOptions,
    run: RunOptions,
    offset: usize,
    /// What to capture, and in which form.
    capture: Option<(Term, Term)>,
    global: bool,
    report_errors: bool,
    export: bool,
    only_compile: bool,
    only_run: bool,
}

impl RegexOptions {
    fn unicode(&self) -> bool {
        self.compile.has(CompileOptions::UNICODE)
    }

    fn captures_lists(&self) -> bool {
        self.capture.is_some_and(|(_, kind)| kind == am::LIST)
    }
}

fn options_of(list: Term) -> Option<RegexOptions> {
    let mut options = RegexOptions::default();
    if release::has(Release::OTP_28) {
        options.compile.set(CompileOptions::PCRE2);
    }
    for option in list::items(list) {
        let option = option.ok()?;
        if let Some(elements) = option.as_tuple(no_gc!()) {
            tuple_option(&mut options, elements)?;
        } else if option.is_atom() {
            atom_option(&mut options, atom::text(option))?;
        } else {
            return None;
        }
    }
    Some(options)
}

fn tuple_option(options: &mut RegexOptions, elements: &[Term]) -> Option<()> {
    let limit = |value: Term| i32::try_from(value.as_small()?).ok()?.try_into().ok();
    match *elements {
        [am::CAPTURE, values, kind] => {
            options.capture = Some((values, kind));
            options.only_run = true;
        }
        [am::CAPTURE, values] => {
            options.capture = Some((values, am::INDEX));
            options.only_run = true;
        }
        [am::NEWLINE, value] if value.is_atom() => {
            let newline = match atom::text(value) {
                "cr" => Newline::Cr,
                "lf" => Newline::Lf,
                "crlf" => Newline::CrLf,
                "any" => Newline::Any,
                "anycrlf" => Newline::AnyCrLf,
                "nul" if release::has(Release::OTP_28) => Newline::Nul,
                _ => return None,
            };
            options.compile.set_newline(newline);
            options.run.conventions.set_newline(newline);
        }
        [name, value] if name.is_atom() => {
            match atom::text(name) {
                "offset" => options.offset = limit(value)? as usize,
                "match_limit" => options.run.match_limit = Some(limit(value)?),
                "match_limit_recursion" => options.run.depth_limit = Some(limit(value)?),
                _ => return None,
            }
            options.only_run = true;
        }
        _ => return None,
    }
    Some(())
}

fn atom_option(options: &mut RegexOptions, name: &str) -> Option<()> {
    let flag = match name {
        "anchored" => {
            options.compile.set(CompileOptions::ANCHORED);
            options.run.anchored = true;
            return Some(());
        }
        "bsr_anycrlf" | "bsr_unicode" => {
            let bsr = match name {
                "bsr_unicode" => Bsr::Unicode,
                _ => Bsr::AnyCrLf,
            };
            options.compile.set_bsr(bsr);
            options.run.conventions.set_bsr(bsr);
            return Some(());
        }
        "no_start_optimize" => CompileOptions::NO_START_OPTIMIZE,
        "caseless" => CompileOptions::CASELESS,
        "dollar_endonly" => CompileOptions::DOLLAR_ENDONLY,
        "dotall" => CompileOptions::DOTALL,
        "extended" => CompileOptions::EXTENDED,
        "firstline" => CompileOptions::FIRSTLINE,
        "multiline" => CompileOptions::MULTILINE,
        "no_auto_capture" => CompileOptions::NO_AUTO_CAPTURE,
        "dupnames" => CompileOptions::DUPNAMES,
        "ungreedy" => CompileOptions::UNGREEDY,
        "ucp" => CompileOptions::UCP,
        "never_utf" => CompileOptions::NEVER_UTF,
        "unicode" => CompileOptions::UNICODE,
        "export" if release::has(Release::OTP_28) => {
            options.export = true;
            options.only_compile = true;
            return Some(());
        }
        _ => {
            match name {
                "notempty" => options.run.notempty = true,
                "notempty_atstart" => options.run.notempty_atstart = true,
                "notbol" => options.run.notbol = true,
                "noteol" => options.run.noteol = true,
                "report_errors" => options.report_errors = true,
                "global" => options.global = true,
                _ => return None,
            }
            options.only_run = true;
            return Some(());
        }
    };
    options.compile.set(flag);
    options.only_compile = true;
    Some(())
}

/// `re:version()`
pub(crate) fn version_0(process: &mut Process, []: [Term; 0]) -> BifResult {
    // What PCRE2 is told to mean depends on the release, and its own version hardly differs from that of stock.
    let version = match release::has(Release::OTP_26) {
        true if release::has(Release::OTP_28) => "10.47 2025-10-21",
        true => "8.45 2021-06-15",
        false => regex::version(),
    };
    Ok(build::binary(process.heap(), version.as_bytes()))
}

/// The bytes of an I/O list.
fn bytes_of(iolist: Term, no_gc: &NoGc) -> Result<Cow<'_, [u8]>, Failure> {
    match unicode::bytes_of(iolist, no_gc) {
        Some(bytes) => Ok(bytes),
        None => iolist::to_vec(iolist, usize::MAX)
            .map(Cow::Owned)
            .map_err(|_| badarg(1)),
    }
}

/// What a reference to a pattern holds: the bytes that it has before OTP 28.
struct Held(Vec<u8>);

/// `{re_pattern, Captures, Unicode, UsesCrLf, Bytes}`, or from OTP 28 on a reference in place of the bytes.
fn pattern_term(process: &mut Process, pattern: &Pattern, unicode: bool) -> Term {
    let bytes = match release::has(Release::OTP_28) {
        true => magic::make(process, Held(pattern.to_bytes())),
        false => build::binary(process.heap(), &pattern.to_bytes()),
    };
    let heap = process.heap();
    let elements = [
        am::RE_PATTERN,
        Term::small(pattern.captures() as i64),
        Term::small(i64::from(unicode)),
        Term::small(i64::from(pattern.uses_crlf())),
        bytes,
    ];
    build::tuple(heap, &elements)
}

/// `{Text, Offset}`
fn error_term(process: &mut Process, error: &PatternError) -> Term {
    let heap = process.heap();
    let text = build::string(heap, &error.text);
    build::tuple(heap, &[text, Term::small(error.offset as i64)])
}

/// The text of a pattern; as on stock before OTP 28, it ends before the first null character.
fn text_of(pattern: Term, no_gc: &NoGc) -> Result<Cow<'_, [u8]>, Failure> {
    let text = bytes_of(pattern, no_gc)?;
    if release::has(Release::OTP_28) {
        return Ok(text);
    }
    let end = text.iter().position(|byte| *byte == 0);
    Ok(match (text, end) {
        (Cow::Borrowed(text), Some(end)) => Cow::Borrowed(&text[..end]),
        (Cow::Owned(mut text), Some(end)) => {
            text.truncate(end);
            Cow::Owned(text)
        }
        (text, None) => text,
    })
}

fn compile(process: &mut Process, text: Term, list: Term) -> BifResult {
    let options = options_of(list).filter(|options| !options.only_run);
    let options = options.ok_or_else(badopt)?;
    if options.unicode() && !text.is_bitstring() {
        let arguments = [text, list];
        return Err(trap(am::RE, atom::known("ucompile"), &arguments));
    }
    let no_gc = no_gc!();
    let text = text_of(text, no_gc)?;
    charge((text.len() / BYTES_PER_REDUCTION) as i64);
    match regex::compile(&text, options.compile) {
        Ok(pattern) => {
            let pattern = match options.export {
                true => exported_term(process, &pattern, list),
                false => pattern_term(process, &pattern, options.unicode()),
            };
            Ok(build::tuple(process.heap(), &[am::OK, pattern]))
        }
        Err(error) => {
            let error = error_term(process, &error);
            Ok(build::tuple(process.heap(), &[am::ERROR, error]))
        }
    }
}

/// What an exported pattern of this VM begins with.
const EXPORTED: &[u8] = b"re-ferl\0\x01\x00";

/// `{re_exported_pattern, Head, Text, Options, Code}`. Only the text and the options count when it is imported, here
/// and by any VM that has not made it.
fn exported_term(process: &mut Process, pattern: &Pattern, options: Term) -> Term {
    let heap = process.heap();
    let elements = [
        atom::known("re_exported_pattern"),
        build::binary(heap, EXPORTED),
        build::binary(heap, pattern.text()),
        options,
        build::binary(heap, &[]),
    ];
    build::tuple(heap, &elements)
}

/// `re:import(Exported)`
pub(crate) fn import_1(process: &mut Process, [exported]: [Term; 1]) -> BifResult {
    let Some([tag, head, text, options, code]) = exported.as_tuple_of() else {
        return Err(badarg(1));
    };
    let is_whole = head.is_bitstring() && text.is_bitstring() && code.is_bitstring();
    if tag != atom::known("re_exported_pattern") || !is_whole {
        return Err(badarg(1));
    }
    let options = options_of(options).filter(|options| !options.only_run);
    let options = options.ok_or(badarg(1))?;
    let no_gc = no_gc!();
    let text = text_of(text, no_gc)?;
    let pattern = regex::compile(&text, options.compile).map_err(|_| badarg(1))?;
    Ok(pattern_term(process, &pattern, options.unicode()))
}

/// `re:compile(Text)`
pub(crate) fn compile_1(process: &mut Process, [text]: [Term; 1]) -> BifResult {
    compile(process, text, Term::NIL)
}

/// `re:compile(Text, Options)`
pub(crate) fn compile_2(process: &mut Process, [text, options]: [Term; 2]) -> BifResult {
    compile(process, text, options)
}

/// The fields of a compiled pattern.
struct Compiled {
    unicode: bool,
    bytes: Term,
}

fn compiled(term: Term) -> Option<Compiled> {
    let Some([am::RE_PATTERN, captures, unicode, crlf, bytes]) = term.as_tuple_of() else {
        return None;
    };
    let unicode = unicode.as_small()? != 0;
    let is_whole = match release::has(Release::OTP_28) {
        true => magic::get::<Held>(bytes, no_gc!()).is_some(),
        false => bytes.is_bitstring(),
    };
    let whole = captures.is_small() && crlf.is_small() && is_whole;
    whole.then_some(Compiled { unicode, bytes })
}

fn pattern_of(compiled: &Compiled) -> Option<Rc<Pattern>> {
    match magic::get::<Held>(compiled.bytes, no_gc!()) {
        Some(held) => regex::from_bytes(&held.0),
        None => regex::from_bytes(&unicode::bytes_of(compiled.bytes, no_gc!())?),
    }
}

/// What to return about a match.
enum Capture {
    Nothing,
    All {
        but_first: bool,
    },
    /// Each entry is a group, or several groups with one name, of which the first that took part counts.
    Chosen(Vec<Vec<i64>>),
}

enum Shape {
    Index,
    List,
    Binary,
}

fn capture_of(options: &RegexOptions, pattern: &Pattern) -> Option<(Capture, Shape)> {
    let Some((values, kind)) = options.capture else {
        return Some((Capture::All { but_first: false }, Shape::Index));
    };
    let shape = match kind {
        am::INDEX => Shape::Index,
        am::LIST => Shape::List,
        am::BINARY => Shape::Binary,
        _ => return None,
    };
    let capture = match values {
        am::ALL => Capture::All { but_first: false },
        am::ALL_BUT_FIRST => Capture::All { but_first: true },
        am::FIRST => Capture::Chosen(vec![vec![0]]),
        am::NONE | Term::NIL => Capture::Nothing,
        am::ALL_NAMES if pattern.names.is_empty() => Capture::Nothing,
        am::ALL_NAMES => {
            let names = pattern.names.iter();
            Capture::Chosen(names.map(|(_, numbers)| signed(numbers)).collect())
        }
        _ => Capture::Chosen(chosen(values, pattern)?),
    };
    Some((capture, shape))
}

fn signed(numbers: &[usize]) -> Vec<i64> {
    numbers.iter().map(|&number| number as i64).collect()
}

fn chosen(values: Term, pattern: &Pattern) -> Option<Vec<Vec<i64>>> {
    let mut chosen = Vec::new();
    for value in list::items(values) {
        let value = value.ok()?;
        if let Some(number) = value.as_small() {
            i32::try_from(number).ok().filter(|number| *number >= 0)?;
            chosen.push(vec![number]);
            continue;
        }
        let no_gc = no_gc!();
        let name = match value.is_atom() {
            true => Cow::Borrowed(atom::text(value).as_bytes()),
            false if value.is_cons() || value.is_nil() || value.is_bitstring() => {
                bytes_of(value, no_gc).ok()?
            }
            false => return None,
        };
        let numbers = pattern.numbers_of(&name);
        chosen.push(numbers.map_or_else(|| vec![-1], signed));
    }
    Some(chosen)
}

/// The subject, from which captures are taken.
struct Subject<'a> {
    term: Term,
    bytes: &'a [u8],
}

impl Subject<'_> {
    fn part(&self, process: &mut Process, shape: &Shape, group: Option<(usize, usize)>) -> Term {
        let heap = process.heap();
        let (start, end) = match (shape, group) {
            (Shape::Index, Some((start, end))) => {
                let length = end as i64 - start as i64;
                return build::tuple(heap, &[Term::small(start as i64), Term::small(length)]);
            }
            (Shape::Index, None) => {
                return build::tuple(heap, &[Term::small(-1), Term::small(0)]);
            }
            // With \K in a lookahead a match may end before it starts.
            (_, Some((start, end))) => (start, end.max(start)),
            (_, None) => (0, 0),
        };
        match shape {
            Shape::List => build::byte_list(heap, &self.bytes[start..end]),
            _ if self.term.is_bitstring() => {
                let (whole, first) = build::whole_of(self.term);
                let width = (end - start) as u64 * 8;
                extract(heap, whole, first + start as u64 * 8, width)
            }
            _ => build::binary(heap, &self.bytes[start..end]),
        }
    }
}

fn answer(
    process: &mut Process,
    subject: &Subject,
    (capture, shape): (Capture, Shape),
    groups: &[Option<(usize, usize)>],
    set: usize,
) -> Term {
    let wanted: Vec<Option<(usize, usize)>> = match capture {
        Capture::Nothing => return am::MATCH,
        Capture::All { but_first } => groups[usize::from(but_first).min(set)..set].to_vec(),
        Capture::Chosen(chosen) => {
            let group = |number: i64| {
                let number = usize::try_from(number)
                    .ok()
                    .filter(|number| *number < set)?;
                groups[number]
            };
            let first_of = |numbers: &Vec<i64>| numbers.iter().find_map(|&number| group(number));
            chosen.iter().map(first_of).collect()
        }
    };
    let parts: Vec<Term> = wanted
        .into_iter()
        .map(|group| subject.part(process, &shape, group))
        .collect();
    let heap = process.heap();
    let parts = build::list(heap, &parts);
    build::tuple(heap, &[am::MATCH, parts])
}

/// Which of the calls for one subject this is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    Only,
    /// `re.erl` will ask for the next match, from the end of this one on.
    First,
    Next,
}

/// Whether the process found in an earlier call that these bytes are valid UTF-8. It has held the binary since then, so
/// no other bytes can be at the same address.
fn is_known(process: &Process, bytes: &[u8]) -> bool {
    let extras = process.existing_extras();
    let held = extras.and_then(|extras| extras.valid_subject.as_ref());
    let no_gc = no_gc!();
    let held = held.and_then(|held| held.term().as_bits()?.as_bytes(no_gc));
    held.is_some_and(|held| std::ptr::eq(held, bytes))
}

/// Remembers that the subject is valid UTF-8, or forgets it when the search is over.
fn remember(process: &mut Process, subject: Term, go_on: bool) {
    if go_on && subject.is_bitstring() {
        process.extras().valid_subject = Some(Owned::new(subject));
    } else if let Some(extras) = process.existing_extras_mut() {
        extras.valid_subject = None;
    }
}

fn run(process: &mut Process, subject: Term, re: Term, list: Term, turn: Turn) -> BifResult {
    let options = options_of(list).ok_or_else(badopt)?;
    let pattern = match pattern_to_run(process, subject, re, list, &options)? {
        Ok(pattern) => pattern,
        Err(reported) => return Ok(reported),
    };
    let capture = capture_of(&options, &pattern).ok_or(badarg(3))?;
    let no_gc = no_gc!();
    let bytes = bytes_of(subject, no_gc)?;
    let is_valid = turn == Turn::Next && is_known(process, &bytes);
    let is_checked = pattern.is_utf() && !is_valid;
    if is_checked {
        charge((bytes.len() / BYTES_PER_REDUCTION) as i64);
        dirty_unless(bytes.len() <= MOST_BYTES_HERE)?;
    }
    dirty_unless(bytes.len() <= MOST_BYTES_TRIED)?;
    let limit = options.run.match_limit.unwrap_or(DEFAULT_MATCH_LIMIT);
    // Here only for some steps, and only what starts near.
    let (here, last_start) = match runtime::mail::dirty::is_here() {
        true => (limit, None),
        false => {
            let last_start = options.offset.saturating_add(MOST_BYTES_HERE);
            let last_start = Some(last_start).filter(|&last| last < bytes.len());
            (limit.min(MOST_STEPS_HERE), last_start)
        }
    };
    let run = RunOptions {
        match_limit: Some(here),
        limit_is_hidden: here < limit,
        last_start,
        is_valid,
        ..options.run
    };
    // Others need not wait for the process meanwhile.
    let outcome =
        runtime::mail::loans::apart(process, || pattern.run(&bytes, options.offset, &run));
    if last_start.is_some() && !options.run.anchored && matches!(outcome, Outcome::NoMatch) {
        return Err(Failure::Dirty);
    }
    if turn != Turn::Only && bytes.len() >= LONG_SUBJECT {
        note_validity(process, subject, &options, &pattern, &outcome);
    }
    if !is_checked {
        charge_searched(bytes.len(), options.offset, &outcome);
    }
    let failed = |process: &mut Process, why: &str| {
        if !options.report_errors {
            return am::NOMATCH;
        }
        build::tuple(process.heap(), &[am::ERROR, atom::known(why)])
    };
    match outcome {
        Outcome::MatchLimit if here < limit => Err(Failure::Dirty),
        Outcome::Match { groups, set } => {
            let subject = Subject {
                term: subject,
                bytes: &bytes,
            };
            Ok(answer(process, &subject, capture, &groups, set))
        }
        Outcome::NoMatch => Ok(am::NOMATCH),
        Outcome::MatchLimit => Ok(failed(process, "match_limit")),
        Outcome::DepthLimit => Ok(failed(process, "match_limit_recursion")),
        Outcome::NoMemory => Err(system_limit()),
        Outcome::BadSubject => Err(badarg(1)),
    }
}

/// The pattern that a call of `run` uses; or in its place the term to return, if the pattern cannot be compiled and
/// `report_errors` is set. Fails with a trap where `re.erl` has to do the work.
fn pattern_to_run(
    process: &mut Process,
    subject: Term,
    re: Term,
    list: Term,
    options: &RegexOptions,
) -> Result<Result<Rc<Pattern>, Term>, Failure> {
    let local = |name: &str, arguments: [Term; 3]| trap(am::RE, atom::known(name), &arguments);
    // Captured lists without `global`: only then must `urun` convert them to lists of characters.
    let lists_here = options.captures_lists() && !options.global;
    let is_compiled = re
        .as_tuple(no_gc!())
        .is_some_and(|elements| elements.len() == 5);
    if is_compiled {
        if options.only_compile {
            return Err(badarg(3));
        }
        let compiled = compiled(re).ok_or(badarg(2))?;
        if compiled.unicode && (!subject.is_bitstring() || lists_here) {
            return Err(local("urun", [subject, re, list]));
        }
        if options.global {
            let options = build::tuple(process.heap(), &[list, am::FALSE]);
            return Err(local("grun", [subject, re, options]));
        }
        let pattern = pattern_of(&compiled).ok_or(badarg(2))?;
        if release::has(Release::OTP_28) && !pattern.agrees_with(options.run.conventions) {
            return Err(badarg(3));
        }
        return Ok(Ok(pattern));
    }
    if !re.is_bitstring() && !re.is_list() {
        return Err(badarg(2));
    }
    let both_binaries = re.is_bitstring() && subject.is_bitstring();
    if options.unicode() && (!both_binaries || lists_here) {
        return Err(local("urun", [subject, re, list]));
    }
    let no_gc = no_gc!();
    let text = text_of(re, no_gc)?;
    charge((text.len() / BYTES_PER_REDUCTION) as i64);
    let pattern = match regex::compile(&text, options.compile) {
        Ok(pattern) => pattern,
        Err(error) if options.report_errors => {
            let error = error_term(process, &error);
            let heap = process.heap();
            let error = build::tuple(heap, &[atom::known("compile"), error]);
            return Ok(Err(build::tuple(heap, &[am::ERROR, error])));
        }
        Err(_) => return Err(badarg(2)),
    };
    if options.global {
        let compiled = pattern_term(process, &pattern, options.unicode());
        // The source of the pattern is passed for error messages.
        let only_compile = am::boolean(options.only_compile);
        let options = build::tuple(process.heap(), &[list, only_compile, re]);
        return Err(local("grun", [subject, compiled, options]));
    }
    Ok(Ok(pattern))
}

/// After a search in a long subject: remembers that the whole subject is valid UTF-8, or forgets it when `re.erl` will
/// not search again.
fn note_validity(
    process: &mut Process,
    subject: Term,
    options: &RegexOptions,
    pattern: &Pattern,
    outcome: &Outcome,
) {
    let go_on = matches!(outcome, Outcome::Match { .. } | Outcome::MatchLimit);
    let whole = options.offset == 0 && pattern.is_utf() && go_on;
    // After an empty match `re.erl` looks for one that is not empty; if there is none, the search continues all the
    // same.
    let over = !go_on && !options.run.notempty_atstart;
    if whole || over {
        remember(process, subject, whole);
    }
}

/// Charges for the bytes of a subject up to the end of the match.
fn charge_searched(length: usize, offset: usize, outcome: &Outcome) {
    let end = match outcome {
        Outcome::Match { groups, .. } => groups[0].map_or(offset, |(_, end)| end),
        _ => length,
    };
    let searched = end.saturating_sub(offset);
    charge((searched / BYTES_PER_REDUCTION) as i64);
}

/// `re:run(Subject, RE)`
pub(crate) fn run_2(process: &mut Process, [subject, re]: [Term; 2]) -> BifResult {
    run(process, subject, re, Term::NIL, Turn::Only)
}

/// `re:run(Subject, RE, Options)`
pub(crate) fn run_3(process: &mut Process, [subject, re, options]: [Term; 3]) -> BifResult {
    run(process, subject, re, options, Turn::Only)
}

/// `re:internal_run(Subject, RE, Options, IsFirst)`: later calls for a subject need not check that it is valid UTF-8,
/// if this process has already checked.
pub(crate) fn internal_run_4(
    process: &mut Process,
    [subject, re, options, first]: [Term; 4],
) -> BifResult {
    match first {
        am::TRUE => run(process, subject, re, options, Turn::First),
        am::FALSE => run(process, subject, re, options, Turn::Next),
        _ => Err(badarg(4)),
    }
}

/// `re:inspect(RE, namelist)`
pub(crate) fn inspect_2(process: &mut Process, [re, item]: [Term; 2]) -> BifResult {
    if item != am::NAMELIST {
        return Err(badarg(2));
    }
    let compiled = compiled(re).ok_or(badarg(1))?;
    let pattern = pattern_of(&compiled).ok_or(badarg(1))?;
    let heap = process.heap();
    let names = pattern.names.iter().rev();
    let names = names.fold(Term::NIL, |list, (name, _)| {
        let name = build::binary(heap, name);
        build::cons(heap, name, list)
    });
    Ok(build::tuple(heap, &[am::NAMELIST, names]))
}
