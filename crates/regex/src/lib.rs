//! Regular expressions, by PCRE2, made to behave as PCRE 8.44, which OTP 25 carries: its Latin-1 character classes,
//! its error texts, its leniency with unknown escapes. OTP 28 carries PCRE2 itself, and asks for it as it is
//! ([`CompileOptions::PCRE2`]).
//!
//! What stays different from PCRE 8: the properties of characters (it has those of Unicode 7), verbs within conditions,
//! `[[:upper:]]` and `[[:lower:]]` where case does not matter (with `ucp` any letter that has a case there), and empty
//! names of groups (taken there).
//!
//! Programs hold a compiled pattern as bytes: the options and the source text. So it can be stored, sent and read
//! back like any binary, and bytes that were tampered with are at worst another pattern. What PCRE2 compiled from
//! them is kept in a small cache per thread. All unsafe code that calls PCRE2 is here and in [`memory`].

// They panic where the terminal, pipe or disk behind is gone: `sys::standard`.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

mod errors;
mod leniency;
mod memory;
mod stock;
mod tables;

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ffi::c_int;
use std::hash::Hash;
use std::ptr::{self, NonNull};
use std::rc::Rc;
use std::thread::LocalKey;

use leniency::Plainer;
use pcre2_sys as pcre;

/// The first bytes of a compiled pattern.
const MAGIC: &[u8; 4] = b"fRE1";
/// What an empty subject points into.
static NO_SUBJECT: [u8; 2] = [0; 2];
/// Maximum number of patterns in a thread's cache, which is emptied when it is full.
const CACHED_PATTERNS: usize = 256;
/// Runs of a pattern in one thread after which PCRE2 makes machine code of it, which takes as long as some dozens of
/// searches in a line of text.
const RUNS_UNTIL_MACHINE_CODE: u32 = 100;
/// So many bytes of a subject count as a run.
const BYTES_OF_A_RUN: usize = 256;

/// Options of a pattern, bit by bit; part of the bytes that programs hold.
///
/// ```text
/// bits 0-15   the flags below; bit 14 is not asked for by programs
/// bits 16-18  newline: 0 for PCRE2's default, else its number for a convention
/// bits 20-21  what \R matches: 0 for PCRE2's default, else its number for a convention
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct CompileOptions(pub u32);

impl CompileOptions {
    pub const UNICODE: u32 = 1;
    pub const ANCHORED: u32 = 1 << 1;
    pub const CASELESS: u32 = 1 << 2;
    pub const DOLLAR_ENDONLY: u32 = 1 << 3;
    pub const DOTALL: u32 = 1 << 4;
    pub const EXTENDED: u32 = 1 << 5;
    pub const FIRSTLINE: u32 = 1 << 6;
    pub const MULTILINE: u32 = 1 << 7;
    pub const NO_AUTO_CAPTURE: u32 = 1 << 8;
    pub const DUPNAMES: u32 = 1 << 9;
    pub const UNGREEDY: u32 = 1 << 10;
    pub const NO_START_OPTIMIZE: u32 = 1 << 11;
    pub const UCP: u32 = 1 << 12;
    pub const NEVER_UTF: u32 = 1 << 13;
    /// Patterns mean what PCRE2 makes of them, as from OTP 28 on; otherwise what PCRE 8 does.
    pub const PCRE2: u32 = 1 << 14;
    const NEWLINE: u32 = 16;
    const BSR: u32 = 20;
    const KNOWN: u32 = 0x7fff | 7 << Self::NEWLINE | 3 << Self::BSR;

    pub fn set(&mut self, flag: u32) {
        self.0 |= flag;
    }

    #[must_use]
    pub fn has(self, flag: u32) -> bool {
        self.0 & flag != 0
    }

    pub fn set_newline(&mut self, newline: Newline) {
        self.0 = self.0 & !(7 << Self::NEWLINE) | (newline as u32) << Self::NEWLINE;
    }

    fn newline(self) -> u32 {
        self.0 >> Self::NEWLINE & 7
    }

    pub fn set_bsr(&mut self, bsr: Bsr) {
        self.0 = self.0 & !(3 << Self::BSR) | (bsr as u32) << Self::BSR;
    }

    fn bsr(self) -> u32 {
        self.0 >> Self::BSR & 3
    }

    /// These options, with the conventions that `run` names in place of those named when compiling.
    #[must_use]
    fn overruled_by(self, run: CompileOptions) -> CompileOptions {
        let mut options = self;
        if run.newline() != 0 {
            options.0 = options.0 & !(7 << Self::NEWLINE) | run.0 & 7 << Self::NEWLINE;
        }
        if run.bsr() != 0 {
            options.0 = options.0 & !(3 << Self::BSR) | run.0 & 3 << Self::BSR;
        }
        options
    }

    fn to_pcre(self) -> u32 {
        let pairs = [
            (Self::UNICODE, pcre::PCRE2_UTF),
            (Self::ANCHORED, pcre::PCRE2_ANCHORED),
            (Self::CASELESS, pcre::PCRE2_CASELESS),
            (Self::DOLLAR_ENDONLY, pcre::PCRE2_DOLLAR_ENDONLY),
            (Self::DOTALL, pcre::PCRE2_DOTALL),
            (Self::EXTENDED, pcre::PCRE2_EXTENDED),
            (Self::FIRSTLINE, pcre::PCRE2_FIRSTLINE),
            (Self::MULTILINE, pcre::PCRE2_MULTILINE),
            (Self::NO_AUTO_CAPTURE, pcre::PCRE2_NO_AUTO_CAPTURE),
            (Self::DUPNAMES, pcre::PCRE2_DUPNAMES),
            (Self::UNGREEDY, pcre::PCRE2_UNGREEDY),
            (Self::NO_START_OPTIMIZE, pcre::PCRE2_NO_START_OPTIMIZE),
            (Self::UCP, pcre::PCRE2_UCP),
            (Self::NEVER_UTF, pcre::PCRE2_NEVER_UTF),
        ];
        let wanted = pairs.iter().filter(|(flag, _)| self.has(*flag));
        wanted.fold(0, |all, (_, option)| all | option)
    }
}

/// What ends a line.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Newline {
    Cr = pcre::PCRE2_NEWLINE_CR,
    Lf = pcre::PCRE2_NEWLINE_LF,
    CrLf = pcre::PCRE2_NEWLINE_CRLF,
    Any = pcre::PCRE2_NEWLINE_ANY,
    AnyCrLf = pcre::PCRE2_NEWLINE_ANYCRLF,
    /// PCRE 8 does not know it.
    Nul = pcre::PCRE2_NEWLINE_NUL,
}

/// What `\R` matches.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bsr {
    Unicode = pcre::PCRE2_BSR_UNICODE,
    AnyCrLf = pcre::PCRE2_BSR_ANYCRLF,
}

/// Options of one match.
#[derive(Clone, Copy, Default, Debug)]
pub struct RunOptions {
    pub anchored: bool,
    pub notbol: bool,
    pub noteol: bool,
    pub notempty: bool,
    pub notempty_atstart: bool,
    /// Whether the subject is known to be valid UTF-8.
    pub is_valid: bool,
    pub match_limit: Option<u32>,
    /// Nobody but the caller sees that `match_limit` is reached. Then machine code may search, which counts other
    /// steps than the interpreter.
    pub limit_is_hidden: bool,
    pub depth_limit: Option<u32>,
    /// Only a match that starts at this offset or before it need be found.
    pub last_start: Option<usize>,
    /// Newline and `\R` conventions that replace those of the compiled pattern.
    pub conventions: CompileOptions,
}

/// Why a text is not a pattern.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PatternError {
    pub text: Cow<'static, str>,
    /// Number of bytes of the text that were read.
    pub offset: usize,
}

/// How a match ended.
#[derive(Clone, PartialEq, Eq, Debug)]
#[must_use]
pub enum Outcome {
    /// Start and end of the whole match and of each group; `None` for a group that took no part. `set`: the number of
    /// these up to the last one that took part.
    Match {
        groups: Vec<Option<(usize, usize)>>,
        set: usize,
    },
    NoMatch,
    MatchLimit,
    DepthLimit,
    /// There is no memory for as much backtracking.
    NoMemory,
    /// The subject is not UTF-8, or the offset is within a character.
    BadSubject,
}

/// PCRE2's compiled pattern; owned by the cache of one thread, or by a match that is running.
struct Code(NonNull<pcre::pcre2_code_8>);

impl Drop for Code {
    fn drop(&mut self) {
        // SAFETY: made by `pcre2_compile`, freed once.
        unsafe { pcre::pcre2_code_free_8(self.0.as_ptr()) };
    }
}

impl Code {
    /// A property of the pattern that is a 32-bit number.
    fn info(&self, what: u32) -> u32 {
        let mut value = 0u32;
        // SAFETY: the code is live, and only properties that are 32-bit numbers are asked for.
        unsafe {
            pcre::pcre2_pattern_info_8(self.0.as_ptr(), what, (&raw mut value).cast());
        }
        value
    }

    /// Whether PCRE2 may have computed wrongly what a match may begin with: for the Latin-1 letters that `\w` matches
    /// in UTF-8, it looks at the class of spaces.
    fn begins_wrongly(&self, source: &[u8]) -> bool {
        if !source.windows(2).any(|pair| pair == br"\w") {
            return false;
        }
        let options = self.info(pcre::PCRE2_INFO_ALLOPTIONS);
        if options & (pcre::PCRE2_UTF | pcre::PCRE2_UCP) != pcre::PCRE2_UTF {
            return false;
        }
        let mut bitmap: *const u8 = ptr::null();
        // SAFETY: the code is live, and this property is a pointer, which is null if there is no bitmap.
        unsafe {
            pcre::pcre2_pattern_info_8(
                self.0.as_ptr(),
                pcre::PCRE2_INFO_FIRSTBITMAP,
                (&raw mut bitmap).cast(),
            );
        }
        !bitmap.is_null()
    }
}

/// A compiled pattern.
pub struct Pattern {
    code: Code,
    text: Box<[u8]>,
    options: CompileOptions,
    /// Names of groups in their order, each with the numbers of the groups that have it.
    pub names: Vec<(Box<[u8]>, Vec<usize>)>,
    /// Runs until PCRE2 makes machine code of the pattern; `None` when it has been asked to, or must not.
    interpreted_runs_left: Cell<Option<u32>>,
}

/// How deep parentheses may be nested before OTP 28: as deep as capturing ones may be in PCRE 8, whose working memory
/// ends there.
const MAX_NESTING_PCRE8: u32 = 798;
/// How deep they may be nested since. Capturing ones are too complicated for PCRE2 long before.
const MAX_NESTING: u32 = 10_000;

thread_local! {
    static CACHE: Cache<(Box<[u8]>, CompileOptions)> = Cache::default();
    /// Patterns in stock's form.
    static READ: Cache<Box<[u8]>> = Cache::default();
}

/// A thread's patterns, by what they were made of.
type Cache<K> = RefCell<HashMap<K, Rc<Pattern>>>;

fn keep<K: Hash + Eq>(cache: &'static LocalKey<Cache<K>>, key: K, pattern: &Rc<Pattern>) {
    cache.with_borrow_mut(|cache| {
        if cache.len() >= CACHED_PATTERNS {
            cache.clear();
        }
        cache.insert(key, Rc::clone(pattern));
    });
}

/// The version and date of the library whose patterns these are: the one in OTP 25, which PCRE2 stands for here.
#[must_use]
pub fn version() -> &'static str {
    "8.44 2020-02-12"
}

/// Compiles a pattern, or takes it from this thread's cache.
///
/// # Errors
/// See [`PatternError`].
pub fn compile(text: &[u8], options: CompileOptions) -> Result<Rc<Pattern>, PatternError> {
    let key = (Box::from(text), options);
    let cached = CACHE.with_borrow(|cache| cache.get(&key).cloned());
    if let Some(pattern) = cached {
        return Ok(pattern);
    }
    let pattern = Rc::new(Pattern::new(text, options)?);
    keep(&CACHE, key, &pattern);
    Ok(pattern)
}

/// The pattern of bytes from [`Pattern::to_bytes`], or of those that stock has made ([`stock`]); `None` if they are not
/// valid.
#[must_use]
pub fn from_bytes(bytes: &[u8]) -> Option<Rc<Pattern>> {
    if stock::is_such(bytes) {
        return from_stock(bytes);
    }
    let rest = bytes.strip_prefix(MAGIC)?;
    let (options, text) = rest.split_first_chunk::<4>()?;
    let options = u32::from_le_bytes(*options);
    if options & !CompileOptions::KNOWN != 0 {
        return None;
    }
    compile(text, CompileOptions(options)).ok()
}

fn from_stock(bytes: &[u8]) -> Option<Rc<Pattern>> {
    let read = READ.with_borrow(|read| read.get(bytes).cloned());
    if let Some(pattern) = read {
        return Some(pattern);
    }
    let (text, options) = stock::read(bytes)?;
    let pattern = compile(&text, options).ok()?;
    keep(&READ, bytes.into(), &pattern);
    Some(pattern)
}

/// The text with its leading directive as PCRE2 spells it.
fn renamed(text: &[u8]) -> Cow<'_, [u8]> {
    match text.strip_prefix(b"(*UTF8)") {
        Some(rest) => [b"(*UTF)", rest].concat().into(),
        None => text.into(),
    }
}

/// The text for PCRE2, if it has something that PCRE2 takes for something else than PCRE 8 does.
fn translated(text: &[u8], options: CompileOptions) -> Option<Plainer> {
    let is_foreign = leniency::has_foreign_braces(text)
        || leniency::has_foreign_digits(text)
        || leniency::has_properties(text)
        || leniency::has_code_points(text);
    if !is_foreign && !leniency::has_references(text) {
        return None;
    }
    Some(leniency::plainer(text, options)).filter(|it| is_foreign || it.refers_to_itself)
}

/// PCRE2's error number for an escape that has no meaning.
const UNKNOWN_ESCAPE: c_int = 103;

/// Compiles a text with PCRE2.
///
/// # Errors
/// PCRE2's error number, and how many bytes of the text were read.
fn compile_source(
    source: &[u8],
    options: CompileOptions,
    extra: u32,
) -> Result<Code, (c_int, usize)> {
    let mut code: c_int = 0;
    let mut offset = 0;
    // SAFETY: the context is created, used and freed here; the tables are constant; `source` is live and has the
    // length that is passed.
    let compiled = unsafe {
        let context = pcre::pcre2_compile_context_create_8(ptr::null_mut());
        assert!(!context.is_null(), "no memory for a regular expression");
        pcre::pcre2_set_compile_extra_options_8(context, extra);
        if options.has(CompileOptions::PCRE2) {
            pcre::pcre2_set_parens_nest_limit_8(context, MAX_NESTING);
        } else {
            pcre::pcre2_set_character_tables_8(context, tables::latin1().as_ptr());
            // PCRE 8 supports only lookbehinds of a fixed length.
            pcre::pcre2_set_max_varlookbehind_8(context, 0);
            pcre::pcre2_set_parens_nest_limit_8(context, MAX_NESTING_PCRE8);
        }
        if options.newline() != 0 {
            pcre::pcre2_set_newline_8(context, options.newline());
        }
        if options.bsr() != 0 {
            pcre::pcre2_set_bsr_8(context, options.bsr());
        }
        let compiled = pcre::pcre2_compile_8(
            source.as_ptr(),
            source.len(),
            // For `RunOptions::last_start`.
            options.to_pcre() | pcre::PCRE2_USE_OFFSET_LIMIT,
            &raw mut code,
            &raw mut offset,
            context,
        );
        pcre::pcre2_compile_context_free_8(context);
        compiled
    };
    let compiled = NonNull::new(compiled).map(Code).ok_or((code, offset))?;
    if options.has(CompileOptions::PCRE2) {
        return Ok(compiled);
    }
    let mut plain = options;
    plain.set(CompileOptions::NO_START_OPTIMIZE);
    if plain != options && compiled.begins_wrongly(source) {
        return compile_source(source, plain, extra);
    }
    Ok(compiled)
}

/// PCRE2's own text for an error.
fn own_text(code: c_int) -> String {
    let mut text = [0; 256];
    // SAFETY: the function writes at most as many bytes as it is told, ending with a zero.
    let length = unsafe { pcre::pcre2_get_error_message_8(code, text.as_mut_ptr(), text.len()) };
    let length = usize::try_from(length).unwrap_or(0);
    String::from_utf8_lossy(&text[..length]).into_owned()
}

/// As [`compile_source`], but an escaped letter that has no meaning stands for itself, as in PCRE 8.
fn compile_leniently(source: &[u8], options: CompileOptions) -> Result<Code, (c_int, usize)> {
    let extra = pcre::PCRE2_EXTRA_ALLOW_LOOKAROUND_BSK;
    match compile_source(source, options, extra) {
        Err((UNKNOWN_ESCAPE, _)) => {
            let lenient = extra | pcre::PCRE2_EXTRA_BAD_ESCAPE_IS_LITERAL;
            compile_source(source, options, lenient)
        }
        compiled => compiled,
    }
}

impl Pattern {
    fn new(text: &[u8], options: CompileOptions) -> Result<Pattern, PatternError> {
        if options.has(CompileOptions::PCRE2) {
            return match compile_source(text, options, 0) {
                Ok(code) => Ok(Pattern::of(code, text, options)),
                Err((code, offset)) => {
                    let utf = options.has(CompileOptions::UNICODE);
                    let (code, offset) = errors::as_later_pcre2(code, offset, text, utf);
                    let text = own_text(code).into();
                    Err(PatternError { text, offset })
                }
            };
        }
        let given = renamed(text);
        let plainer = translated(&given, options);
        let source = plainer.as_ref().map_or(&given[..], |plainer| &plainer.text);
        let mut compiled = compile_leniently(source, options);
        if plainer.is_none()
            && let Err((code, _)) = compiled
            && leniency::MENDABLE.contains(&code)
        {
            let plainer = leniency::plainer(source, options);
            // If that fails too, the error of the pattern as it was given is reported.
            compiled = compile_leniently(&plainer.text, options).or(compiled);
        }
        let compiled = compiled.map_err(|(code, offset)| {
            let (text, offset) = errors::as_pcre8(code, offset, source);
            let offset = plainer
                .as_ref()
                .map_or(offset, |plainer| plainer.original(offset));
            let text = text.into();
            PatternError { text, offset }
        });
        if let Some((code, offset)) = plainer.as_ref().and_then(|plainer| plainer.unknown)
            && compiled
                .as_ref()
                .err()
                .is_none_or(|error| error.offset >= offset)
        {
            let text = errors::text(code).into();
            return Err(PatternError { text, offset });
        }
        let code = compiled?;
        Ok(Pattern::of(code, text, options))
    }

    fn of(code: Code, text: &[u8], options: CompileOptions) -> Pattern {
        let mut pattern = Pattern {
            code,
            text: text.into(),
            options,
            names: Vec::new(),
            interpreted_runs_left: Cell::new(Some(RUNS_UNTIL_MACHINE_CODE)),
        };
        pattern.names = pattern.read_names();
        if pattern.asks_interpreter() {
            pattern.interpreted_runs_left.set(None);
        }
        pattern
    }

    fn info(&self, what: u32) -> u32 {
        self.code.info(what)
    }

    /// Whether PCRE2's interpreter takes some characters for others than its machine code does: in UTF-8, it looks at
    /// the first byte of the Latin-1 letters for whether they are of a class as `\w`. So does PCRE 8.
    fn asks_interpreter(&self) -> bool {
        let options = self.info(pcre::PCRE2_INFO_ALLOPTIONS);
        let by_tables = options & (pcre::PCRE2_UTF | pcre::PCRE2_UCP) == pcre::PCRE2_UTF
            && !self.options.has(CompileOptions::PCRE2);
        let is_class = |pair: &[u8]| match pair[0] {
            b'\\' => b"wWdDsSbB".contains(&pair[1]),
            first => first == b'[' && pair[1] == b':',
        };
        by_tables && self.text.windows(2).any(is_class)
    }

    /// Whether the pattern takes subjects to be UTF-8.
    #[must_use]
    pub fn is_utf(&self) -> bool {
        self.info(pcre::PCRE2_INFO_ALLOPTIONS) & pcre::PCRE2_UTF != 0
    }

    fn read_names(&self) -> Vec<(Box<[u8]>, Vec<usize>)> {
        let count = self.info(pcre::PCRE2_INFO_NAMECOUNT) as usize;
        let size = self.info(pcre::PCRE2_INFO_NAMEENTRYSIZE) as usize;
        if count == 0 {
            return Vec::new();
        }
        let mut table: *const u8 = ptr::null();
        // SAFETY: the code is live; the table has `count` entries of `size` bytes.
        let table = unsafe {
            pcre::pcre2_pattern_info_8(
                self.code.0.as_ptr(),
                pcre::PCRE2_INFO_NAMETABLE,
                (&raw mut table).cast(),
            );
            std::slice::from_raw_parts(table, count * size)
        };
        let mut names: Vec<(Box<[u8]>, Vec<usize>)> = Vec::new();
        for entry in table.chunks_exact(size) {
            let number = usize::from(entry[0]) << 8 | usize::from(entry[1]);
            let name = entry[2..].split(|&byte| byte == 0).next().unwrap_or(&[]);
            match names.last_mut() {
                Some((last, numbers)) if **last == *name => numbers.push(number),
                _ => names.push((name.into(), vec![number])),
            }
        }
        names
    }

    /// The bytes that programs hold for this pattern.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let options = self.options.0.to_le_bytes();
        [&MAGIC[..], &options[..], &self.text].concat()
    }

    /// Whether it was compiled for these conventions, as far as they are named.
    #[must_use]
    pub fn agrees_with(&self, conventions: CompileOptions) -> bool {
        let agrees = |wanted, what| wanted == 0 || wanted == self.info(what);
        agrees(conventions.newline(), pcre::PCRE2_INFO_NEWLINE)
            && agrees(conventions.bsr(), pcre::PCRE2_INFO_BSR)
    }

    /// The text that was compiled.
    #[must_use]
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    #[must_use]
    pub fn captures(&self) -> usize {
        self.info(pcre::PCRE2_INFO_CAPTURECOUNT) as usize
    }

    /// Whether a line may end in two characters.
    #[must_use]
    pub fn uses_crlf(&self) -> bool {
        matches!(
            self.info(pcre::PCRE2_INFO_NEWLINE),
            pcre::PCRE2_NEWLINE_CRLF | pcre::PCRE2_NEWLINE_ANY | pcre::PCRE2_NEWLINE_ANYCRLF
        )
    }

    /// The numbers of the groups with a name.
    #[must_use]
    pub fn numbers_of(&self, name: &[u8]) -> Option<&[usize]> {
        let mut names = self.names.iter();
        names
            .find(|(known, _)| **known == *name)
            .map(|(_, numbers)| &numbers[..])
    }

    /// Counts a run in a subject of so many bytes. After the last one that is to be interpreted, PCRE2 makes machine
    /// code of the pattern; where it cannot (the system refuses executable memory, or the pattern has something that
    /// only the interpreter knows), it goes on to interpret it.
    fn count_run(&self, bytes: usize) {
        let Some(left) = self.interpreted_runs_left.get() else {
            return;
        };
        let runs = u32::try_from(1 + bytes / BYTES_OF_A_RUN).unwrap_or(u32::MAX);
        let left = left.checked_sub(runs);
        self.interpreted_runs_left.set(left);
        if left.is_none() && cfg!(machine_code) {
            // SAFETY: the code is live, and no other thread has it.
            unsafe { pcre::pcre2_jit_compile_8(self.code.0.as_ptr(), pcre::PCRE2_JIT_COMPLETE) };
        }
    }

    /// Searches for the first match from `offset` on.
    pub fn run(&self, subject: &[u8], offset: usize, options: &RunOptions) -> Outcome {
        let conventions = self.options.overruled_by(options.conventions);
        if conventions != self.options {
            // PCRE2 fixes the conventions when it compiles.
            return match compile(&self.text, conventions) {
                Ok(pattern) => {
                    let options = RunOptions {
                        conventions: CompileOptions::default(),
                        ..*options
                    };
                    pattern.run(subject, offset, &options)
                }
                Err(_) => Outcome::NoMatch,
            };
        }
        // A match that starts within a character would read beyond it, so PCRE2 has to check the subject.
        let is_valid =
            options.is_valid && subject.get(offset).is_some_and(|byte| byte & 0xC0 != 0x80);
        // Machine code has no depth.
        let by_machine_code = options.limit_is_hidden && options.depth_limit.is_none();
        if by_machine_code {
            self.count_run(subject.len());
        }
        let flags = [
            (is_valid, pcre::PCRE2_NO_UTF_CHECK),
            (options.anchored, pcre::PCRE2_ANCHORED),
            (options.notbol, pcre::PCRE2_NOTBOL),
            (options.noteol, pcre::PCRE2_NOTEOL),
            (options.notempty, pcre::PCRE2_NOTEMPTY),
            (options.notempty_atstart, pcre::PCRE2_NOTEMPTY_ATSTART),
            (!by_machine_code, pcre::PCRE2_NO_JIT),
        ];
        let flags = flags.iter().filter(|(wanted, _)| *wanted);
        let flags = flags.fold(0, |all, (_, flag)| all | flag);
        // PCRE2 steps back from the end by the length of a newline before it compares addresses, so even an empty
        // subject must point into existing memory.
        let start = if subject.is_empty() {
            &raw const NO_SUBJECT[1]
        } else {
            subject.as_ptr()
        };
        // SAFETY: the code is live; match data and context are created, used and freed here; the subject is live and
        // has the length that is passed; the vector has as many pairs as PCRE2 says.
        unsafe {
            let data = pcre::pcre2_match_data_create_from_pattern_8(
                self.code.0.as_ptr(),
                memory::context(),
            );
            let context = pcre::pcre2_match_context_create_8(ptr::null_mut());
            assert!(
                !data.is_null() && !context.is_null(),
                "no memory to match a regular expression"
            );
            if let Some(limit) = options.match_limit {
                pcre::pcre2_set_match_limit_8(context, limit);
            }
            if let Some(last_start) = options.last_start {
                pcre::pcre2_set_offset_limit_8(context, last_start);
            }
            if let Some(limit) = options.depth_limit {
                pcre::pcre2_set_depth_limit_8(context, limit);
            }
            let run = |flags| {
                pcre::pcre2_match_8(
                    self.code.0.as_ptr(),
                    start,
                    subject.len(),
                    offset,
                    flags,
                    data,
                    context,
                )
            };
            let code = match run(flags) {
                // The interpreter has more room to go back.
                pcre::PCRE2_ERROR_JIT_STACKLIMIT => run(flags | pcre::PCRE2_NO_JIT),
                code => code,
            };
            let outcome = match code {
                1.. => {
                    let count = pcre::pcre2_get_ovector_count_8(data) as usize;
                    let vector = pcre::pcre2_get_ovector_pointer_8(data);
                    let vector = std::slice::from_raw_parts(vector, 2 * count);
                    let group =
                        |pair: &[usize]| (pair[0] != usize::MAX).then(|| (pair[0], pair[1]));
                    Outcome::Match {
                        groups: vector.chunks_exact(2).map(group).collect(),
                        set: code as usize,
                    }
                }
                pcre::PCRE2_ERROR_MATCHLIMIT => Outcome::MatchLimit,
                pcre::PCRE2_ERROR_DEPTHLIMIT | pcre::PCRE2_ERROR_HEAPLIMIT => Outcome::DepthLimit,
                pcre::PCRE2_ERROR_NOMEMORY => Outcome::NoMemory,
                pcre::PCRE2_ERROR_BADOFFSET | pcre::PCRE2_ERROR_BADUTFOFFSET => Outcome::BadSubject,
                pcre::PCRE2_ERROR_UTF8_ERR21..=pcre::PCRE2_ERROR_UTF8_ERR1 => Outcome::BadSubject,
                _ => Outcome::NoMatch,
            };
            pcre::pcre2_match_data_free_8(data);
            pcre::pcre2_match_context_free_8(context);
            outcome
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(pattern: &str, flags: u32, subject: &[u8]) -> Option<(usize, usize)> {
        let pattern = compile(pattern.as_bytes(), CompileOptions(flags)).unwrap();
        match pattern.run(subject, 0, &RunOptions::default()) {
            Outcome::Match { groups, .. } => groups[0],
            _ => None,
        }
    }

    #[test]
    fn bytes_are_latin1() {
        assert_eq!(find("^\\w+$", 0, b"\xe9t\xe9"), Some((0, 3)));
        assert_eq!(find("\\s", 0, b"\xa0\x85"), None);
        assert_eq!(
            find("\\xc9", CompileOptions::CASELESS, b"\xe9"),
            Some((0, 1))
        );
        assert_eq!(find("[[:lower:]]", 0, b"\xff"), Some((0, 1)));
    }

    #[test]
    fn groups_that_refer_to_themselves_are_atomic() {
        let matching: Vec<usize> = (0..12)
            .filter(|&length| find("^(a\\1?){4}$", 0, &b"a".repeat(length)).is_some())
            .collect();
        assert_eq!(matching, [5, 7, 10]);
        for text in [
            "^(?<n>a\\k<n>?){4}$",
            "^(?'n'a\\g{n}?){4}$",
            "^(?P<n>a(?P=n)?){4}$",
        ] {
            assert_eq!(find(text, 0, b"aaaa"), None, "{text}");
            assert_eq!(find(text, 0, b"aaaaa"), Some((0, 5)), "{text}");
        }
        for text in [
            "^(a\\g1?){4}$",
            "^(a\\g{-1}?){4}$",
            "^(?:(?|(b)|(a\\1?))){4}$",
            "^(()a\\1?){4}$",
        ] {
            assert_eq!(find(text, 0, b"aaaa"), None, "{text}");
        }
        for text in [
            "(a)(?:\\1?){4}",
            "(a)(b)?\\1{3}",
            "[(]?(a)[\\1]?(a){3}",
            "(a)(?:a\\Q\\1\\E)?(a)\\1\\1",
        ] {
            assert_eq!(find(text, 0, b"aaaa"), Some((0, 4)), "{text}");
        }
    }

    #[test]
    fn errors_are_those_of_pcre_8() {
        let check = |text: &str, expected| match compile(text.as_bytes(), CompileOptions::default())
        {
            Ok(_) => panic!("{text} compiles"),
            Err(error) => assert_eq!((&*error.text, error.offset), expected),
        };
        check("(a", ("missing )", 2));
        check("[a", ("missing terminating ] for character class", 2));
        check("*a", ("nothing to repeat", 0));
        check("a)", ("unmatched parentheses", 1));
        check("a\\", ("\\ at end of pattern", 2));
        assert!(compile(b"a\\j", CompileOptions::default()).is_ok());
    }

    #[test]
    fn a_pattern_is_its_bytes() {
        let mut options = CompileOptions(CompileOptions::CASELESS);
        options.set_newline(Newline::AnyCrLf);
        let pattern = compile(b"(?<a>x)(y)?", options).unwrap();
        let again = from_bytes(&pattern.to_bytes()).unwrap();
        assert_eq!((again.captures(), again.uses_crlf()), (2, true));
        assert_eq!(again.numbers_of(b"a"), Some(&[1][..]));
        let found = again.run(b"-X", 0, &RunOptions::default());
        let groups = vec![Some((1, 2)), Some((1, 2)), None];
        assert_eq!(found, Outcome::Match { groups, set: 2 });
        assert!(from_bytes(b"ERCP0123456789").is_none());
        assert!(from_bytes(b"fRE1\xff\xff\xff\xffa").is_none());
    }

    #[test]
    fn nothing_is_searched_where_nothing_can_be() {
        let mut options =
            CompileOptions(CompileOptions::FIRSTLINE | CompileOptions::NO_START_OPTIMIZE);
        options.set_newline(Newline::CrLf);
        for text in ["a", "\\N", "a$", "(?m)^a"] {
            let pattern = compile(text.as_bytes(), options).unwrap();
            assert_eq!(
                pattern.run(&[], 0, &RunOptions::default()),
                Outcome::NoMatch
            );
        }
    }

    #[test]
    fn braces_are_those_of_pcre_8() {
        assert_eq!(find("^a{,3}$", 0, b"aaa"), None);
        assert_eq!(find("^a{,3}$", 0, b"a{,3}"), Some((0, 5)));
        assert_eq!(find("^a{ 1, 3 }$", 0, b"a{ 1, 3 }"), Some((0, 9)));
        assert_eq!(
            find("^a{1,}[{,3}]\\x{41}\\{,3}$", 0, b"aaa,A{,3}"),
            Some((0, 9))
        );
        assert!(compile(b"(?<=a{1,2})", CompileOptions::default()).is_err());
        assert!(compile(b"(?<=a|bc)", CompileOptions::default()).is_ok());
    }

    #[test]
    fn conventions_may_change_at_each_run() {
        let pattern = compile(b"a$", CompileOptions(CompileOptions::MULTILINE)).unwrap();
        let mut options = RunOptions::default();
        assert_eq!(pattern.run(b"a\rb", 0, &options), Outcome::NoMatch);
        options.conventions.set_newline(Newline::Cr);
        assert!(matches!(
            pattern.run(b"a\rb", 0, &options),
            Outcome::Match { .. }
        ));
    }
}
