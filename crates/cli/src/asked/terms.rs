//! The external term format: writing what a question needs, and passing over and printing whatever comes.

use std::io::Write;

/// How deep what is printed may be.
const MOST_DEPTH: usize = 1_000;
/// The bytes of a binary that are shown.
const SHOWN_BYTES: usize = 30;

/// Writes terms, one behind the other.
#[derive(Default)]
pub(crate) struct Writer(Vec<u8>);

impl Writer {
    pub(crate) fn done(self) -> Vec<u8> {
        self.0
    }

    /// Bytes that are a term.
    pub(crate) fn raw(mut self, term: &[u8]) -> Writer {
        self.0.extend_from_slice(term);
        self
    }

    fn with_length(mut self, tag: u8, length: usize) -> Writer {
        self.0.push(tag);
        // Nothing here is longer than what was typed.
        self.0.extend((length as u32).to_be_bytes());
        self
    }

    /// An atom of at most 65,535 bytes.
    pub(crate) fn atom(mut self, name: &[u8]) -> Writer {
        self.0.push(118);
        self.0.extend((name.len() as u16).to_be_bytes());
        self.raw(name)
    }

    /// The elements follow.
    pub(crate) fn tuple(mut self, arity: u8) -> Writer {
        self.0.extend([104, arity]);
        self
    }

    /// The elements follow, and [`Writer::nil`].
    pub(crate) fn list(self, length: usize) -> Writer {
        self.with_length(108, length)
    }

    pub(crate) fn nil(mut self) -> Writer {
        self.0.push(106);
        self
    }

    pub(crate) fn integer(mut self, number: i32) -> Writer {
        self.0.push(98);
        self.0.extend(number.to_be_bytes());
        self
    }

    pub(crate) fn binary(self, bytes: &[u8]) -> Writer {
        self.with_length(109, bytes.len()).raw(bytes)
    }

    /// A pid of the node with this name.
    pub(crate) fn pid(self, node: &[u8], creation: u32) -> Writer {
        let mut writer = self.raw(&[88]).atom(node);
        for number in [1, 0, creation] {
            writer.0.extend(number.to_be_bytes());
        }
        writer
    }
}

/// Reads terms, one behind the other. Each function returns `None` if something else comes, or the bytes end.
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { rest: bytes }
    }

    /// What has not been read.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    pub(crate) fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(bytes)
    }

    pub(crate) fn array<const COUNT: usize>(&mut self) -> Option<[u8; COUNT]> {
        self.bytes(COUNT)?.try_into().ok()
    }

    fn byte(&mut self) -> Option<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    pub(crate) fn number_16(&mut self) -> Option<usize> {
        Some(usize::from(u16::from_be_bytes(self.array()?)))
    }

    fn number_32(&mut self) -> Option<usize> {
        usize::try_from(u32::from_be_bytes(self.array()?)).ok()
    }

    /// The arity of a tuple, whose elements follow.
    pub(crate) fn tuple(&mut self) -> Option<usize> {
        match self.byte()? {
            104 => self.byte().map(usize::from),
            105 => self.number_32(),
            _ => None,
        }
    }

    /// The text of an atom.
    pub(crate) fn atom(&mut self) -> Option<&'a [u8]> {
        let length = match self.byte()? {
            115 | 119 => usize::from(self.byte()?),
            100 | 118 => self.number_16()?,
            _ => return None,
        };
        self.bytes(length)
    }

    /// The bytes of a binary.
    pub(crate) fn binary(&mut self) -> Option<&'a [u8]> {
        (self.byte()? == 109).then(|| {
            let length = self.number_32()?;
            self.bytes(length)
        })?
    }

    /// A small integer.
    pub(crate) fn integer(&mut self) -> Option<i32> {
        match self.byte()? {
            97 => self.byte().map(i32::from),
            98 => self.array().map(i32::from_be_bytes),
            _ => None,
        }
    }

    /// The bytes of the next term.
    pub(crate) fn term(&mut self) -> Option<&'a [u8]> {
        let before = self.rest;
        self.print(&mut Vec::new(), 0)?;
        Some(&before[..before.len() - self.rest.len()])
    }

    /// Prints the next term; what cannot be printed ends the text.
    fn print(&mut self, out: &mut Vec<u8>, depth: usize) -> Option<()> {
        if depth > MOST_DEPTH {
            return None;
        }
        match *self.rest.first()? {
            100 | 115 | 118 | 119 => write_atom(out, self.atom()?),
            97 | 98 => write!(out, "{}", self.integer()?).ok()?,
            tag => {
                self.byte();
                self.print_tagged(tag, out, depth)?;
            }
        }
        Some(())
    }

    fn print_tagged(&mut self, tag: u8, out: &mut Vec<u8>, depth: usize) -> Option<()> {
        match tag {
            70 => write!(out, "{:.6}", f64::from_be_bytes(self.array()?)).ok()?,
            77 => {
                let length = self.number_32()?;
                let bits = self.byte()?;
                let bytes = self.bytes(length)?;
                write_bits(out, bytes, bits);
            }
            88 | 103 => {
                let node = self.atom()?;
                let (number, serial) = (self.number_32()?, self.number_32()?);
                self.bytes(if tag == 88 { 4 } else { 1 })?;
                out.push(b'<');
                out.extend_from_slice(node);
                write!(out, ".{number}.{serial}>").ok()?;
            }
            89 | 102 | 120 => {
                self.atom()?;
                let number = match tag {
                    120 => u64::from_be_bytes(self.array()?),
                    _ => self.number_32()? as u64,
                };
                let creation = match tag {
                    102 => usize::from(self.byte()?),
                    _ => self.number_32()?,
                };
                write!(out, "#Port<{number}.{creation}>").ok()?;
            }
            90 | 114 => {
                let count = self.number_16()?;
                self.atom()?;
                self.bytes(if tag == 90 { 4 } else { 1 })?;
                let numbers: Option<Vec<String>> = (0..count)
                    .map(|_| Some(self.number_32()?.to_string()))
                    .collect();
                write!(out, "#Ref<{}>", numbers?.join(".")).ok()?;
            }
            104 | 105 => {
                let arity = match tag {
                    104 => usize::from(self.byte()?),
                    _ => self.number_32()?,
                };
                out.push(b'{');
                self.print_several(arity, out, depth)?;
                out.push(b'}');
            }
            106 => out.extend(b"[]"),
            107 => {
                let length = self.number_16()?;
                write_string(out, self.bytes(length)?);
            }
            108 => {
                let length = self.number_32()?;
                out.push(b'[');
                self.print_several(length, out, depth)?;
                if self.rest.first() == Some(&106) {
                    self.byte();
                } else {
                    out.extend(b" | ");
                    self.print(out, depth + 1)?;
                }
                out.push(b']');
            }
            109 => {
                let length = self.number_32()?;
                write_binary(out, self.bytes(length)?);
            }
            110 | 111 => {
                let length = match tag {
                    110 => usize::from(self.byte()?),
                    _ => self.number_32()?,
                };
                let is_negative = self.byte()? != 0;
                write_big(out, is_negative, self.bytes(length)?);
            }
            112 => {
                let size = self.number_32()?;
                let mut inside = Reader::new(self.bytes(size.checked_sub(4)?)?);
                inside.bytes(1 + 16)?;
                let index = inside.number_32()?;
                inside.bytes(4)?;
                let module = inside.atom()?;
                inside.integer()?;
                let unique = inside.integer()? as u32;
                out.extend(b"#Fun{");
                out.extend_from_slice(module);
                write!(out, ".{index}.{unique}}}").ok()?;
            }
            113 => {
                let (module, function) = (self.atom()?, self.atom()?);
                let arity = self.integer()?;
                out.extend([b"fun ", module, b":", function].concat());
                write!(out, "/{arity}").ok()?;
            }
            116 => {
                let pairs = self.number_32()?;
                out.extend(b"#{");
                for number in 0..pairs {
                    self.print(out, depth + 1)?;
                    out.extend(b" => ");
                    self.print(out, depth + 1)?;
                    if number + 1 < pairs {
                        out.extend(b", ");
                    }
                }
                out.push(b'}');
            }
            _ => return None,
        }
        Some(())
    }

    fn print_several(&mut self, count: usize, out: &mut Vec<u8>, depth: usize) -> Option<()> {
        for number in 0..count {
            self.print(out, depth + 1)?;
            if number + 1 < count {
                out.extend(b", ");
            }
        }
        Some(())
    }
}

/// A term as `erl_call` prints it, as far as it can be read.
pub(crate) fn printed(term: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let _ = Reader::new(term).print(&mut out, 0);
    out
}

fn write_atom(out: &mut Vec<u8>, name: &[u8]) {
    let is_plain = name.first().is_some_and(u8::is_ascii_lowercase)
        && name
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'@'));
    let quote = if is_plain { &b""[..] } else { b"'" };
    out.extend([quote, name, quote].concat());
}

fn write_string(out: &mut Vec<u8>, text: &[u8]) {
    out.push(b'"');
    for byte in text {
        match byte {
            b' '..0x80 => out.push(*byte),
            b'\n' => out.extend(b"\\n"),
            b'\r' => out.extend(b"\\r"),
            b'\t' => out.extend(b"\\t"),
            0x0b => out.extend(b"\\v"),
            0x08 => out.extend(b"\\b"),
            0x0c => out.extend(b"\\f"),
            // `erl_call` takes bytes for signed numbers.
            _ => out.extend(format!("\\x{:x}", i32::from(*byte as i8)).as_bytes()),
        }
    }
    out.push(b'"');
}

fn numbers(bytes: &[u8]) -> String {
    let numbers: Vec<String> = bytes.iter().map(u8::to_string).collect();
    numbers.join(",")
}

fn write_binary(out: &mut Vec<u8>, bytes: &[u8]) {
    let shown = numbers(&bytes[..bytes.len().min(SHOWN_BYTES)]);
    let more = if bytes.len() > SHOWN_BYTES {
        ",..."
    } else {
        ""
    };
    out.extend(format!("#Bin<{shown}{more}>").as_bytes());
}

/// A bitstring, of whose last byte so many bits belong to it.
fn write_bits(out: &mut Vec<u8>, bytes: &[u8], bits: u8) {
    let text = match bytes.split_last() {
        _ if bytes.len() > SHOWN_BYTES => format!("{},...", numbers(&bytes[..SHOWN_BYTES])),
        Some((last, whole)) if (1..8).contains(&bits) => {
            let comma = if whole.is_empty() { "" } else { "," };
            format!("{}{comma}{}:{bits}", numbers(whole), last >> (8 - bits))
        }
        _ => numbers(bytes),
    };
    out.extend(format!("#Bits<{text}>").as_bytes());
}

/// An integer by its bytes, the lowest first: in decimal if it fits 64 bits, else in hexadecimal.
fn write_big(out: &mut Vec<u8>, is_negative: bool, digits: &[u8]) {
    let sign = if is_negative { "-" } else { "" };
    let text = if digits.len() <= 8 {
        let high_first = digits.iter().rev();
        high_first
            .fold(0_u64, |number, digit| number << 8 | u64::from(*digit))
            .to_string()
    } else {
        let all: String = digits
            .iter()
            .rev()
            .map(|digit| format!("{digit:02X}"))
            .collect();
        let short = all.trim_start_matches('0');
        format!("16#{}", if short.is_empty() { "0" } else { short })
    };
    out.extend(format!("{sign}{text}").as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Terms, made by stock, with what its `erl_call` prints of them.
    #[test]
    fn terms_are_printed() {
        for (bytes, text) in [
            (&b"\x77\x01a"[..], "a"),
            (b"\x77\x01A", "'A'"),
            (b"\x77\x00", "''"),
            (b"\x61\xff", "255"),
            (b"\x62\xff\xff\xff\xff", "-1"),
            (
                b"\x6e\x08\x01\xff\xff\xff\xff\xff\xff\xff\xff",
                "-18446744073709551615",
            ),
            (
                b"\x6e\x09\x00\x01\0\0\0\0\0\0\0\x0a",
                "16#A0000000000000001",
            ),
            (b"\x46\x3f\xf8\0\0\0\0\0\0", "1.500000"),
            (b"\x6b\0\x04a\n\x01\xe4", "\"a\\n\\x1\\xffffffe4\""),
            (b"\x6c\0\0\0\x02\x77\x01b\x77\x01a\x6a", "[b, a]"),
            (b"\x6c\0\0\0\x01\x77\x01b\x61\x02", "[b | 2]"),
            (b"\x68\x02\x61\x01\x68\0", "{1, {}}"),
            (b"\x6d\0\0\0\x02\x01\x02", "#Bin<1,2>"),
            (b"\x4d\0\0\0\x02\x03\x01\xa0", "#Bits<1,5:3>"),
            (b"\x74\0\0\0\x01\x77\x01k\x61\x01", "#{k => 1}"),
            (
                b"\x58\x77\x03n@h\0\0\0\x09\0\0\0\x01\0\0\0\x05",
                "<n@h.9.1>",
            ),
            (b"\x78\x77\x03n@h\0\0\0\0\0\0\0\x07\0\0\0\x05", "#Port<7.5>"),
            (
                b"\x5a\0\x02\x77\x03n@h\0\0\0\x05\0\0\0\x01\0\0\0\x02",
                "#Ref<1.2>",
            ),
            (b"\x71\x77\x01m\x77\x01f\x61\x02", "fun m:f/2"),
        ] {
            assert_eq!(String::from_utf8(printed(bytes)).unwrap(), text);
            let mut reader = Reader::new(bytes);
            assert_eq!(reader.term(), Some(bytes), "{text}");
            for length in 0..bytes.len() {
                assert_eq!(Reader::new(&bytes[..length]).term(), None, "{text}");
            }
        }
        let long = [&b"\x6d\0\0\0\x20"[..], &[7; 32]].concat();
        assert!(printed(&long).ends_with(b",7,...>"));
    }

    #[test]
    fn what_is_too_deep_is_not_followed() {
        let deep = vec![[0x68, 1]; 1_000_000].concat();
        assert_eq!(Reader::new(&deep).term(), None);
    }
}
