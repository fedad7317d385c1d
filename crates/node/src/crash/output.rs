//! The output for the text of a dump: a file with a size limit, or memory.
//!
//! Text for a file is collected in a buffer that is allocated at the start, because there may be no memory later. An
//! error means that nothing more can be written: the limit was reached, or writing to the file failed.

use std::fmt::{self, Write};
use std::fs::File;
use std::io::Write as _;

use base64::display::Base64Display;
use base64::engine::general_purpose::STANDARD;

const BUFFER_BYTES: usize = 64 << 10;

/// See the module's documentation.
pub(super) struct Output {
    file: Option<File>,
    buffer: Vec<u8>,
    /// Bytes that may still be written.
    left: u64,
}

impl Output {
    /// Output to a file, with an optional limit on its size.
    pub(super) fn to_file(file: File, most_bytes: Option<u64>) -> Output {
        Output {
            file: Some(file),
            buffer: Vec::with_capacity(BUFFER_BYTES),
            left: most_bytes.unwrap_or(u64::MAX),
        }
    }

    pub(super) fn to_memory() -> Output {
        Output {
            file: None,
            buffer: Vec::new(),
            left: u64::MAX,
        }
    }

    /// The text that was written to memory.
    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.buffer
    }

    /// Writes the buffer to the file.
    pub(super) fn finish(&mut self) -> fmt::Result {
        if let Some(file) = &mut self.file {
            let written = file.write_all(&self.buffer);
            self.buffer.clear();
            written.map_err(|_| fmt::Error)?;
        }
        Ok(())
    }

    pub(super) fn text(&mut self, text: &str) -> fmt::Result {
        self.bytes(text.as_bytes())
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) -> fmt::Result {
        if bytes.len() as u64 > self.left {
            let (fitting, _) = bytes.split_at(self.left as usize);
            self.left = 0;
            self.append(fitting)?;
            self.append(b"\n=abort:CRASH DUMP SIZE LIMIT REACHED\n")?;
            self.finish()?;
            return Err(fmt::Error);
        }
        self.left -= bytes.len() as u64;
        self.append(bytes)
    }

    fn append(&mut self, bytes: &[u8]) -> fmt::Result {
        if self.file.is_some() && self.buffer.len() + bytes.len() > BUFFER_BYTES {
            self.finish()?;
            if bytes.len() > BUFFER_BYTES {
                let file = self.file.as_mut().ok_or(fmt::Error)?;
                return file.write_all(bytes).map_err(|_| fmt::Error);
            }
        }
        self.buffer.extend_from_slice(bytes);
        Ok(())
    }

    /// Writes bytes in base 64.
    pub(super) fn base64(&mut self, bytes: &[u8]) -> fmt::Result {
        // Formatting allocates nothing.
        write!(self, "{}", Base64Display::new(bytes, &STANDARD))
    }
}

impl Write for Output {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.text(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_64_is_padded() {
        let text = |bytes: &[u8]| {
            let mut out = Output::to_memory();
            out.base64(bytes).unwrap();
            String::from_utf8(out.into_bytes()).unwrap()
        };
        assert_eq!(text(b""), "");
        assert_eq!(text(b"f"), "Zg==");
        assert_eq!(text(b"fo"), "Zm8=");
        assert_eq!(text(b"foo"), "Zm9v");
        assert_eq!(text(b"\xff\xfe\xfd\xfc"), "//79/A==");
    }

    #[test]
    fn the_bound_ends_the_text() {
        let mut out = Output::to_memory();
        out.left = 5;
        assert!(out.text("abc").is_ok());
        assert!(out.text("defg").is_err());
        assert!(out.text("h").is_err());
        assert!(
            out.into_bytes()
                .starts_with(b"abcde\n=abort:CRASH DUMP SIZE LIMIT REACHED\n")
        );
    }
}
