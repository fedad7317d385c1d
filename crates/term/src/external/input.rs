//! A cursor over untrusted bytes.

use super::decode::{DecodeError, Fault};

/// The error for a fault that was found after `position` bytes.
#[cold]
#[inline(never)]
pub(super) fn fail_at<T>(position: usize, fault: Fault) -> Result<T, DecodeError> {
    Err(DecodeError { fault, position })
}

/// The bytes that are still to be read, of how many.
#[derive(Clone, Copy)]
pub(super) struct Input<'a> {
    rest: &'a [u8],
    size: usize,
}

impl<'a> Input<'a> {
    pub(super) fn new(bytes: &'a [u8], position: usize) -> Input<'a> {
        Input {
            rest: &bytes[position..],
            size: bytes.len(),
        }
    }

    /// Number of bytes, with those that were read.
    #[inline(always)]
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// Number of bytes that were read.
    #[inline(always)]
    pub(super) fn position(&self) -> usize {
        self.size - self.rest.len()
    }

    #[inline(always)]
    pub(super) fn remaining(&self) -> usize {
        self.rest.len()
    }

    #[inline(always)]
    pub(super) fn fail<T>(self, fault: Fault) -> Result<T, DecodeError> {
        fail_at(self.position(), fault)
    }

    #[inline(always)]
    pub(super) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Goes on after `count` bytes more.
    #[inline(always)]
    pub(super) fn skip(&mut self, count: usize) {
        debug_assert!(count <= self.remaining());
        self.rest = self.rest.get(count..).unwrap_or_default();
    }

    #[inline(always)]
    pub(super) fn take(&mut self, count: usize) -> Result<&'a [u8], DecodeError> {
        match self.rest.split_at_checked(count) {
            Some((taken, rest)) => {
                self.rest = rest;
                Ok(taken)
            }
            None => self.fail(Fault::Truncated),
        }
    }

    #[inline(always)]
    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        match self.rest.split_first_chunk::<N>() {
            Some((taken, rest)) => {
                self.rest = rest;
                Ok(*taken)
            }
            None => self.fail(Fault::Truncated),
        }
    }

    #[inline]
    pub(super) fn u8(&mut self) -> Result<u8, DecodeError> {
        Ok(self.array::<1>()?[0])
    }

    #[inline]
    pub(super) fn u16(&mut self) -> Result<u16, DecodeError> {
        self.array().map(u16::from_be_bytes)
    }

    #[inline]
    pub(super) fn u32(&mut self) -> Result<u32, DecodeError> {
        self.array().map(u32::from_be_bytes)
    }

    #[inline]
    pub(super) fn u64(&mut self) -> Result<u64, DecodeError> {
        self.array().map(u64::from_be_bytes)
    }

    #[inline]
    pub(super) fn unique(&mut self) -> Result<[u8; 16], DecodeError> {
        self.array()
    }

    /// A length: 32 bits.
    #[inline]
    pub(super) fn length(&mut self) -> Result<usize, DecodeError> {
        Ok(self.u32()? as usize)
    }
}
