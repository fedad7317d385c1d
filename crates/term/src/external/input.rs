//! A cursor over untrusted bytes.

use super::decode::{DecodeError, Fault};

/// The bytes, and how many of them have been read.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    bytes: &'a [u8],
    /// At most the number of bytes.
    position: usize,
}

impl<'a> Input<'a> {
    pub fn new(bytes: &'a [u8], position: usize) -> Input<'a> {
        assert!(position <= bytes.len());
        Input { bytes, position }
    }

    #[inline(always)]
    pub fn position(&self) -> usize {
        self.position
    }

    #[inline(always)]
    pub fn remaining(&self) -> usize {
        self.bytes.len() - self.position
    }

    #[cold]
    #[inline(never)]
    pub fn fail<T>(self, fault: Fault) -> Result<T, DecodeError> {
        Err(DecodeError {
            fault,
            position: self.position,
        })
    }

    #[inline(always)]
    pub fn rest(&self) -> &'a [u8] {
        // SAFETY: the position is at most the number of bytes.
        unsafe { self.bytes.get_unchecked(self.position..) }
    }

    /// Goes on after `count` bytes more.
    #[inline(always)]
    pub fn skip(&mut self, count: usize) {
        debug_assert!(count <= self.remaining());
        self.position = (self.position + count).min(self.bytes.len());
    }

    #[inline(always)]
    pub fn take(&mut self, count: usize) -> Result<&'a [u8], DecodeError> {
        match self.rest().get(..count) {
            Some(taken) => {
                self.position += count;
                Ok(taken)
            }
            None => self.fail(Fault::Truncated),
        }
    }

    #[inline(always)]
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        match self.rest().first_chunk::<N>() {
            Some(taken) => {
                self.position += N;
                Ok(*taken)
            }
            None => self.fail(Fault::Truncated),
        }
    }

    #[inline]
    pub fn u8(&mut self) -> Result<u8, DecodeError> {
        Ok(self.array::<1>()?[0])
    }

    #[inline]
    pub fn u16(&mut self) -> Result<u16, DecodeError> {
        self.array().map(u16::from_be_bytes)
    }

    #[inline]
    pub fn u32(&mut self) -> Result<u32, DecodeError> {
        self.array().map(u32::from_be_bytes)
    }

    #[inline]
    pub fn u64(&mut self) -> Result<u64, DecodeError> {
        self.array().map(u64::from_be_bytes)
    }

    #[inline]
    pub fn unique(&mut self) -> Result<[u8; 16], DecodeError> {
        self.array()
    }

    /// A length: 32 bits.
    #[inline]
    pub fn length(&mut self) -> Result<usize, DecodeError> {
        Ok(self.u32()? as usize)
    }
}
