//! The token without which nothing is shown: from a file, or random.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use subtle::ConstantTimeEq;

/// A shorter token could be guessed.
const LEAST_BYTES: usize = 16;
const MOST_BYTES: usize = 512;
/// Bytes of which a random token is made.
const RANDOM_BYTES: usize = 24;

/// A secret that is never printed but in the URL for whoever opened the window.
pub(super) struct Token(String);

impl Token {
    /// The token in a file, without the white space around it. The error says what is wrong, without the token.
    pub(super) fn read(path: &Path) -> Result<Token, String> {
        let wrong = |why: &str| format!("{}: {why}", path.display());
        let mut text = Vec::new();
        File::open(path)
            .and_then(|file| file.take(MOST_BYTES as u64 + 64).read_to_end(&mut text))
            .map_err(|error| wrong(&error.to_string()))?;
        let text = text.trim_ascii();
        let fits = (LEAST_BYTES..=MOST_BYTES).contains(&text.len());
        if !fits || !text.iter().all(|byte| is_in_token(*byte)) {
            return Err(wrong(
                "a token has 16 to 512 characters: letters, digits, and - . _ ~ + / =",
            ));
        }
        Ok(Token(String::from_utf8_lossy(text).into_owned()))
    }

    pub(super) fn random() -> sys::Result<Token> {
        let mut bytes = [0; RANDOM_BYTES];
        sys::random::fill(&mut bytes)?;
        Ok(Token(
            bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        ))
    }

    pub(super) fn text(&self) -> &str {
        &self.0
    }

    /// Whether this is the token, in a time that does not say how much of it is.
    pub(super) fn is(&self, text: &[u8]) -> bool {
        self.0.as_bytes().ct_eq(text).into()
    }
}

/// What RFC 6750 allows, so that it can be sent as it is.
fn is_in_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_read_without_the_space_around_it() {
        let folder = std::env::temp_dir().join(format!("ferl-token-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("token");
        let read = |text: &[u8]| {
            std::fs::write(&path, text).unwrap();
            Token::read(&path)
        };
        let token = read(b"  0123456789abcdef\n").ok().unwrap();
        assert!(token.is(b"0123456789abcdef"));
        for wrong in [&b"0123456789abcdeg"[..], b"", b"0123456789abcdef0"] {
            assert!(!token.is(wrong));
        }
        for bad in [
            &b"short"[..],
            b"",
            b"0123456789 abcdef",
            &[b'a'; 513],
            &[0xff; 20],
        ] {
            assert!(read(bad).is_err());
        }
        std::fs::remove_dir_all(&folder).unwrap();
        assert!(Token::read(&path).is_err());
    }

    #[test]
    fn random_tokens_differ() {
        let token = || Token::random().unwrap().0;
        assert_eq!(token().len(), 2 * RANDOM_BYTES);
        assert_ne!(token(), token());
    }
}
