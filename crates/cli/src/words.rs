//! Merges the typed command line with the flag variables (`ERL_AFLAGS`, `ERL_FLAGS`, ...) and argument
//! files into one list of words, in OTP's order and with OTP's quoting. The words of each source
//! end with a `--`, so that a flag cannot take a word of the next source as its value. Words after `-extra` in any
//! source go to the very end; up to OTP 26 the `--` goes there with them. Typed words from `-S` on are behind even
//! these (since OTP 27): they belong to a program, and are no flags.
//!
//! Main thread only. The number and the total size of argument files are limited, so a file that includes itself is
//! rejected.

use std::ffi::OsStr;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;

use spec::Release;
use sys::Errno;
use sys::file::{File, OpenMode};

use crate::environment::Environment;
use crate::refusal::Refusal;

pub type Word = Vec<u8>;

/// A word as the standard library takes it.
#[must_use]
pub fn os(word: &[u8]) -> &OsStr {
    OsStr::from_bytes(word)
}

/// The words of a text, as the shell cuts a variable that is not quoted.
pub(crate) fn at_spaces(text: &[u8]) -> impl Iterator<Item = Word> {
    text.split(|byte| byte.is_ascii_whitespace())
        .filter(|word| !word.is_empty())
        .map(<[u8]>::to_vec)
}

/// The maximum number of argument files; more mean that a file includes itself.
const MAX_FILES: usize = 1_000;
/// The maximum size of all argument files together.
const MAX_FILE_BYTES: u64 = 16 << 20;

/// What [`merge`] makes.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Words {
    /// What may be flags.
    pub flags: Vec<Word>,
    /// The typed words from `-S` on, for `init` alone: the module that is started, its function and its arguments.
    pub program: Vec<Word>,
}

/// All words of a start: `typed` (without the program's name) and those from the environment.
/// `release` is the OTP release whose own flag variable (such as `ERL_OTP25_FLAGS`) is read.
pub fn merge(
    typed: &[Word],
    environment: &Environment,
    release: Release,
) -> Result<Words, Refusal> {
    let variable = |name: &str| cut_variable(environment.get(name).unwrap_or_default());
    let before = [
        variable(&format!("ERL_OTP{release}_FLAGS")),
        variable("ERL_AFLAGS"),
    ];
    let after = [variable("ERL_FLAGS"), variable("ERL_ZFLAGS")];

    let only_typed = before.iter().chain(&after).all(Vec::is_empty);
    let parts_typed = release >= Release::OTP_27;
    let names_file = typed
        .iter()
        .take_while(|word| *word != b"-extra")
        .any(|word| word == b"-args_file");
    if only_typed && !names_file && !parts_typed {
        return Ok(Words {
            flags: typed.to_vec(),
            program: Vec::new(),
        });
    }

    let mut merged = Merged {
        parts_typed,
        ..Merged::default()
    };
    for words in before {
        merged.add(words, Source::Variable)?;
    }
    // Unlike a variable, the command line may end in -args_file without a name. Its `--` is added afterwards, so it
    // cannot be taken for the file's name.
    if !typed.is_empty() {
        merged.add(typed.to_vec(), Source::Typed)?;
        merged.words.push(b"--".to_vec());
    }
    for words in after {
        merged.add(words, Source::Variable)?;
    }
    Ok(merged.finish())
}

/// Where words come from that are not in a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    /// Without a `--` at their end.
    Typed,
    Variable,
}

#[derive(Default)]
struct Merged {
    words: Vec<Word>,
    extra: Vec<Word>,
    /// What is typed behind `-S`.
    program: Option<Vec<Word>>,
    /// As since OTP 27: the `--` of a source is not among the words after its `-extra`, and `-S` begins a program.
    parts_typed: bool,
    files_read: usize,
    bytes_read: u64,
}

impl Merged {
    /// Adds the words of one source, including those of the argument files that it names.
    fn add(&mut self, words: Vec<Word>, source: Source) -> Result<(), Refusal> {
        // Argument files can nest; this is the stack of unfinished sources.
        let mut waiting = vec![words.into_iter()];
        while let Some(mut words) = waiting.pop() {
            while let Some(word) = words.next() {
                match word.as_slice() {
                    b"-args_file" => {
                        let name = words
                            .next()
                            .ok_or_else(|| Refusal::missing_argument(b"-args_file"))?;
                        waiting.push(words);
                        words = self.read_file(&name)?.into_iter();
                    }
                    b"-extra" => {
                        self.extra.extend(words.by_ref());
                        let is_file = !waiting.is_empty();
                        if self.parts_typed && (is_file || source == Source::Variable) {
                            self.extra.pop();
                        }
                        // A file with `-extra` has no `--` at all, and the command line has two.
                        if self.parts_typed && !is_file {
                            self.words.push(b"--".to_vec());
                        }
                    }
                    b"-S" if self.parts_typed && source == Source::Typed && waiting.is_empty() => {
                        self.program = Some(words.by_ref().collect());
                        self.words.push(b"--".to_vec());
                    }
                    _ => self.words.push(word),
                }
            }
        }
        Ok(())
    }

    fn read_file(&mut self, name: &[u8]) -> Result<Vec<Word>, Refusal> {
        let shown = String::from_utf8_lossy(name);
        self.files_read += 1;
        if self.files_read > MAX_FILES {
            return Err(Refusal::launcher(format!(
                "Too many arguments files (does \"{shown}\" include itself?)"
            )));
        }
        // The system's own form of a file also opens those that a packed release carries.
        let reading = OpenMode {
            read: true,
            skip_type_check: true,
            ..OpenMode::default()
        };
        let file = File::open(name, reading).map_err(|error| {
            let here = std::env::current_dir().unwrap_or_default();
            Refusal::launcher(format!(
                "Failed to open arguments file \"{shown}\" at \"{}\": {}",
                here.display(),
                error.message()
            ))
        })?;
        let file = std::fs::File::from(OwnedFd::from(file));
        let failed = |why: &str| {
            Refusal::launcher(format!("Failed to read arguments file \"{shown}\": {why}"))
        };
        let mut text = Vec::new();
        file.take(MAX_FILE_BYTES - self.bytes_read + 1)
            .read_to_end(&mut text)
            .map_err(|error| failed(&reason(error)))?;
        self.bytes_read += text.len() as u64;
        if self.bytes_read > MAX_FILE_BYTES {
            return Err(failed("arguments files hold more than 16 MiB"));
        }
        Ok(cut(&text, Comments::Allowed))
    }

    fn finish(mut self) -> Words {
        let (start, of_program): (&[&str], fn(Word) -> Word) = match self.extra.is_empty() {
            true => (&["-noshell", "-S"], protected),
            // Behind `-extra` there are no flags, so the program is not started. Stock then leaves the word that marks
            // the place among the arguments.
            false => (&["++S"], |word| word),
        };
        let program = self.program.map_or(Vec::new(), |words| {
            let start = start.iter().map(|word| word.as_bytes().to_vec());
            start.chain(words.into_iter().map(of_program)).collect()
        });
        if !self.extra.is_empty() {
            self.words.push(b"-extra".to_vec());
            self.words.append(&mut self.extra);
        }
        Words {
            flags: self.words,
            program,
        }
    }
}

/// An argument of a program, which `init` must not take for the end of a source.
fn protected(word: Word) -> Word {
    match word.as_slice() {
        b"--" => b"\\--".to_vec(),
        _ => word,
    }
}

/// The system's text for an error, without the error number that Rust appends.
fn reason(error: std::io::Error) -> String {
    Errno::from(error).message()
}

fn cut_variable(value: &[u8]) -> Vec<Word> {
    cut(value, Comments::None)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Comments {
    None,
    /// From `#` to the end of the line.
    Allowed,
}

/// Splits a text into words at white space that is not protected by quotes of either kind or by a backslash (outside
/// quotes). If there are any words, adds a `--` after the last one.
fn cut(text: &[u8], comments: Comments) -> Vec<Word> {
    // As with C strings, the text ends at the first zero byte.
    let text = text.split(|&byte| byte == 0).next().unwrap_or_default();
    let mut words = Vec::new();
    let mut word: Option<Word> = None;
    let mut bytes = text.iter().copied();
    while let Some(byte) = bytes.next() {
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c => words.extend(word.take()),
            b'#' if comments == Comments::Allowed => {
                words.extend(word.take());
                bytes.by_ref().find(|&byte| byte == b'\n');
            }
            quote @ (b'"' | b'\'') => {
                let word = word.get_or_insert_default();
                word.extend(bytes.by_ref().take_while(|&byte| byte != quote));
            }
            b'\\' => word.get_or_insert_default().extend(bytes.next()),
            byte => word.get_or_insert_default().push(byte),
        }
    }
    words.extend(word);
    if !words.is_empty() {
        words.push(b"--".to_vec());
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(list: &[&str]) -> Vec<Word> {
        list.iter().map(|word| word.as_bytes().to_vec()).collect()
    }

    fn with(variables: &[(&str, &str)]) -> Environment {
        variables
            .iter()
            .map(|(name, value)| (name.as_bytes().to_vec(), value.as_bytes().to_vec()))
            .collect()
    }

    #[test]
    fn cuts_at_white_space_outside_quotes() {
        for (text, expected) in [
            ("", &[] as &[&str]),
            (" \t\n", &[]),
            ("a b", &["a", "b", "--"]),
            ("a'b c'd \"e f\"", &["ab cd", "e f", "--"]),
            (r#"a\ b "c\" d"#, &["a b", "c\\", "d", "--"]),
            ("'' a", &["", "a", "--"]),
            ("'open end", &["open end", "--"]),
            ("a#b # c", &["a#b", "#", "c", "--"]),
            ("a\\", &["a", "--"]),
            ("a\0b", &["a", "--"]),
        ] {
            assert_eq!(
                cut(text.as_bytes(), Comments::None),
                words(expected),
                "{text:?}"
            );
        }
    }

    #[test]
    fn comments_count_in_files_only() {
        let text = b"a#b\nc # d\n#e\n'#f'";
        assert_eq!(cut(text, Comments::Allowed), words(&["a", "c", "#f", "--"]));
    }

    #[test]
    fn nothing_else_leaves_the_typed_words_alone() {
        let typed = words(&["-a", "--", "-extra", "-args_file"]);
        let merged = merge(&typed, &with(&[]), Release::OTP_25).unwrap();
        assert_eq!(merged.flags, typed);
    }

    #[test]
    fn variables_surround_the_typed_words() {
        let environment = with(&[
            ("ERL_ZFLAGS", "z -extra ze"),
            ("ERL_FLAGS", "f"),
            ("ERL_AFLAGS", "a"),
            ("ERL_OTP25_FLAGS", "o"),
            ("ERL_OTP27_FLAGS", "no"),
        ]);
        let typed = words(&["t", "-extra", "te"]);
        let expected = [
            "o", "--", "a", "--", "t", "--", "f", "--", "z", "-extra", "te", "ze", "--",
        ];
        let merged = merge(&typed, &environment, Release::OTP_25).unwrap();
        assert_eq!(merged.flags, words(&expected));
    }

    /// What stock 27 and 29 list, without the part that tells where OTP is.
    #[test]
    fn sources_end_before_extra_words_since_27() {
        let folder = std::env::temp_dir().join(format!("ferl-extra-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = |name: &str, text: &str| {
            let path = folder.join(name);
            std::fs::write(&path, text).unwrap();
            path.display().to_string()
        };
        let extra = file("extra", "-extra Q --");
        let around = file("around", &format!("w -args_file {extra} v"));
        let plain = file("plain", "p");
        for (variables, typed, expected) in [
            (
                &[("ERL_AFLAGS", "-extra +A 1 --"), ("ERL_FLAGS", "c")] as &[(&str, &str)],
                "-x -extra a --",
                "-- -x -- -- c -- -extra +A 1 -- a --",
            ),
            (&[], "-x", "-x --"),
            (&[], "-x -extra", "-x -- --"),
            (&[("ERL_ZFLAGS", "f -extra")], "-x", "-x -- f --"),
            (
                &[],
                &format!("-x -args_file {extra} r"),
                "-x r -- -extra Q --",
            ),
            (
                &[],
                &format!("-x -args_file {around} r"),
                "-x w v -- r -- -extra Q --",
            ),
            (
                &[("ERL_AFLAGS", &format!("-args_file {around} -extra s"))],
                &format!("-x -args_file {plain} -extra t"),
                "w v -- -- -x p -- -- -- -extra Q -- s t",
            ),
        ] {
            let typed: Vec<_> = typed.split(' ').collect();
            let merged = merge(&words(&typed), &with(variables), Release::OTP_27).unwrap();
            assert_eq!(String::from_utf8_lossy(&merged.flags.join(&b' ')), expected);
            assert_eq!(merged.program, words(&[]));
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn words_of_a_program_are_no_flags() {
        let environment = with(&[("ERL_AFLAGS", "-S x"), ("ERL_ZFLAGS", "z")]);
        let typed = words(&[
            "-x",
            "-S",
            "m",
            "f",
            "-extra",
            "--",
            "+A",
            "-args_file",
            "-S",
        ]);
        let merged = merge(&typed, &environment, Release::OTP_29).unwrap();
        let expected = ["-S", "x", "--", "-x", "--", "--", "z", "--"];
        assert_eq!(merged.flags, words(&expected));
        let program = [
            "-noshell",
            "-S",
            "m",
            "f",
            "-extra",
            "\\--",
            "+A",
            "-args_file",
            "-S",
        ];
        assert_eq!(merged.program, words(&program));

        let merged = merge(&typed, &with(&[("ERL_FLAGS", "-extra e")]), Release::OTP_29).unwrap();
        let expected = ["-x", "--", "--", "--", "-extra", "e"];
        assert_eq!(merged.flags, words(&expected));
        let program = ["++S", "m", "f", "-extra", "--", "+A", "-args_file", "-S"];
        assert_eq!(merged.program, words(&program));

        let typed = words(&["-x", "-extra", "-S", "m"]);
        let merged = merge(&typed, &with(&[]), Release::OTP_29).unwrap();
        assert_eq!(
            merged.flags,
            words(&["-x", "--", "--", "-extra", "-S", "m"])
        );
        assert_eq!(merged.program, words(&[]));

        let typed = words(&["-x", "-S", "m"]);
        let merged = merge(&typed, &with(&[]), Release::OTP_25).unwrap();
        assert_eq!(merged.flags, typed);
    }

    #[test]
    fn a_file_that_names_itself_is_refused() {
        let name = std::env::temp_dir().join(format!("ferl-words-{}", std::process::id()));
        std::fs::write(&name, format!("-args_file {}", name.display())).unwrap();
        let typed = words(&["-args_file", name.to_str().unwrap()]);
        let refused = merge(&typed, &with(&[]), Release::OTP_25);
        std::fs::remove_file(&name).unwrap();
        assert!(refused.unwrap_err().message.contains("include itself"));
    }

    #[test]
    fn a_missing_file_name_is_refused() {
        let refused = merge(&words(&["-args_file"]), &with(&[]), Release::OTP_25).unwrap_err();
        assert_eq!(refused.message, "Missing argument(s) for '-args_file'.");
    }
}
