//! Merges the typed command line with the flag variables (`ERL_AFLAGS`, `ERL_FLAGS`, ...) and argument
//! files into one list of words, in OTP's order and with OTP's quoting. The words of each source
//! end with a `--`, so that a flag cannot take a word of the next source as its value. Words after `-extra` in any
//! source go to the very end.
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

/// All words of a start: `typed` (without the program's name) and those from the environment.
/// `release` is the OTP release whose own flag variable (such as `ERL_OTP25_FLAGS`) is read.
pub fn merge(
    typed: &[Word],
    environment: &Environment,
    release: Release,
) -> Result<Vec<Word>, Refusal> {
    let variable = |name: &str| cut_variable(environment.get(name).unwrap_or_default());
    let before = [
        variable(&format!("ERL_OTP{release}_FLAGS")),
        variable("ERL_AFLAGS"),
    ];
    let after = [variable("ERL_FLAGS"), variable("ERL_ZFLAGS")];

    let only_typed = before.iter().chain(&after).all(Vec::is_empty);
    let names_file = typed
        .iter()
        .take_while(|word| *word != b"-extra")
        .any(|word| word == b"-args_file");
    if only_typed && !names_file {
        return Ok(typed.to_vec());
    }

    let mut merged = Merged::default();
    for words in before {
        merged.add(words)?;
    }
    // Unlike a variable, the command line may end in -args_file without a name. Its `--` is added afterwards, so it
    // cannot be taken for the file's name.
    if !typed.is_empty() {
        merged.add(typed.to_vec())?;
        merged.words.push(b"--".to_vec());
    }
    for words in after {
        merged.add(words)?;
    }
    Ok(merged.finish())
}

#[derive(Default)]
struct Merged {
    words: Vec<Word>,
    extra: Vec<Word>,
    files_read: usize,
    bytes_read: u64,
}

impl Merged {
    /// Adds the words of one source, including those of the argument files that it names.
    fn add(&mut self, words: Vec<Word>) -> Result<(), Refusal> {
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
                    b"-extra" => self.extra.extend(words.by_ref()),
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

    fn finish(mut self) -> Vec<Word> {
        if !self.extra.is_empty() {
            self.words.push(b"-extra".to_vec());
            self.words.append(&mut self.extra);
        }
        self.words
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
        assert_eq!(merge(&typed, &with(&[]), Release::OTP_25), Ok(typed));
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
        assert_eq!(
            merge(&typed, &environment, Release::OTP_25),
            Ok(words(&expected))
        );
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
