//! Paths and other texts for system calls: turns bytes into zero-terminated texts.

use std::ffi::{CStr, CString};

use crate::errno::{Errno, Result};

/// Most paths fit a buffer of this size; the kernel refuses those beyond 4096 bytes (`PATH_MAX`) anyway.
const INLINE_BYTES: usize = 512;

/// Calls `action` with the bytes as a terminated text.
///
/// Zero bytes at the end are dropped, because OTP's file functions pass names that are terminated already;
/// any other zero byte is `einval`.
pub(crate) fn with<T>(bytes: &[u8], action: impl FnOnce(&CStr) -> Result<T>) -> Result<T> {
    let bytes = without_end(bytes);
    if bytes.len() < INLINE_BYTES {
        let mut buffer = [0u8; INLINE_BYTES];
        buffer[..bytes.len()].copy_from_slice(bytes);
        let text = CStr::from_bytes_with_nul(&buffer[..=bytes.len()]).map_err(|_| Errno::EINVAL)?;
        return action(text);
    }
    action(&owned(bytes)?)
}

/// The bytes with a terminator; `einval` as in [`with`].
pub(crate) fn owned(bytes: &[u8]) -> Result<CString> {
    CString::new(without_end(bytes)).map_err(|_| Errno::EINVAL)
}

fn without_end(bytes: &[u8]) -> &[u8] {
    let length = bytes
        .iter()
        .rposition(|byte| *byte != 0)
        .map_or(0, |last| last + 1);
    &bytes[..length]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_bytes_are_allowed_at_the_end_only() {
        let passed = |bytes: &[u8]| with(bytes, |text| Ok(text.to_bytes().to_vec()));
        let long = vec![b'x'; 5000];
        assert_eq!(passed(b"abc"), Ok(b"abc".to_vec()));
        assert_eq!(passed(b"abc\0\0"), Ok(b"abc".to_vec()));
        assert_eq!(passed(b""), Ok(vec![]));
        assert_eq!(passed(&long), Ok(long.clone()));
        assert_eq!(
            passed(&long[..INLINE_BYTES]),
            Ok(long[..INLINE_BYTES].to_vec())
        );
        assert_eq!(
            passed(&long[..INLINE_BYTES - 1]),
            Ok(long[..INLINE_BYTES - 1].to_vec())
        );
        assert_eq!(passed(b"a\0b"), Err(Errno::EINVAL));
        assert_eq!(passed(&[&long[..], b"\0a"].concat()), Err(Errno::EINVAL));
    }
}
