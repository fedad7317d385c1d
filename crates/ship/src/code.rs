//! Leaves out of compiled modules what only debuggers, compilers and readers of documentation ask for.

/// What is left out: abstract code in its newer and older form, and documentation.
const LEFT_OUT: [&[u8; 4]; 3] = [b"Dbgi", b"Abst", b"Docs"];
const FORM: &[u8] = b"FOR1";
const KIND: &[u8] = b"BEAM";
/// The name of a part, and its length.
const HEAD_BYTES: usize = 8;

/// The module without these parts. What is no module, or is compressed, is returned as it is.
pub(crate) fn strip(module: Vec<u8>) -> Vec<u8> {
    stripped(&module).unwrap_or(module)
}

fn stripped(module: &[u8]) -> Option<Vec<u8>> {
    let parts = module.strip_prefix(FORM)?.get(4..)?.strip_prefix(KIND)?;
    let mut kept = KIND.to_vec();
    let mut rest = parts;
    while !rest.is_empty() {
        let length = u32::from_be_bytes(*rest.get(4..)?.first_chunk()?);
        let end = HEAD_BYTES.checked_add(usize::try_from(length).ok()?.next_multiple_of(4))?;
        let part = rest.get(..end)?;
        if !LEFT_OUT.iter().any(|name| part.starts_with(*name)) {
            kept.extend_from_slice(part);
        }
        rest = &rest[end..];
    }
    let length = u32::try_from(kept.len()).ok()?;
    Some([FORM, &length.to_be_bytes(), &kept].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(parts: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
        let mut body = KIND.to_vec();
        for (name, contents) in parts {
            body.extend_from_slice(*name);
            body.extend((contents.len() as u32).to_be_bytes());
            body.extend_from_slice(contents);
            body.resize(body.len().next_multiple_of(4), 0);
        }
        [FORM, &(body.len() as u32).to_be_bytes(), &body].concat()
    }

    #[test]
    fn code_stays_and_documentation_goes() {
        let whole = module(&[
            (b"AtU8", b"abcde"),
            (b"Dbgi", b"code"),
            (b"Code", b"c"),
            (b"Docs", b"text"),
        ]);
        assert_eq!(
            strip(whole),
            module(&[(b"AtU8", b"abcde"), (b"Code", b"c")])
        );
        for other in [
            &b""[..],
            b"text",
            b"FOR1\0\0\0\0BEAMCode\xff\xff\xff\xff",
            b"\x1f\x8bzip",
        ] {
            assert_eq!(strip(other.to_vec()), other);
        }
    }
}
