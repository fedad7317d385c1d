//! File names: conversion between terms and the bytes that the operating system uses.
//!
//! A name is a list of characters (which may contain lists), or a binary of raw bytes. The encoding of names is set
//! once, by the emulator's flags. Any thread may read it; only the thread that owns the heap may build.

use std::sync::atomic::{AtomicU8, Ordering};

use layout::{Term, no_gc};

use crate::heap::Allocate;
use crate::unicode::{Encoding, bytes_of};
use crate::{atom, build};

static NATIVE: AtomicU8 = AtomicU8::new(1);

/// The encoding of native names (`file:native_name_encoding/0`).
#[must_use]
pub fn native_encoding() -> Encoding {
    match NATIVE.load(Ordering::Relaxed) {
        0 => Encoding::Latin1,
        _ => Encoding::Utf8,
    }
}

/// Sets the encoding of native names (`+fnl`, `+fnu`, `+fna`).
pub fn set_native_encoding(encoding: Encoding) {
    NATIVE.store(u8::from(encoding == Encoding::Utf8), Ordering::Relaxed);
}

/// What is allowed as a name, besides binaries and lists that are not empty.
#[derive(Clone, Copy, Default, Debug)]
pub struct Allowed {
    pub atoms: bool,
    pub empty: bool,
    /// Zero bytes in a binary; they are never allowed in lists and atoms.
    pub zeros_in_binaries: bool,
}

/// The native bytes of a name, without a terminating zero. `None` (`badarg`) if it is not a valid name, or contains
/// characters that the encoding cannot represent.
#[must_use]
pub fn to_native(name: Term, encoding: Encoding, allowed: Allowed) -> Option<Vec<u8>> {
    if name.is_bitstring() {
        let no_gc = no_gc!();
        let bytes = bytes_of(name, no_gc)?;
        let fine = allowed.zeros_in_binaries || !bytes.contains(&0);
        return fine.then(|| bytes.into_owned());
    }
    if name.is_atom() && allowed.atoms {
        let text = atom::text(name);
        return from_characters(text.chars().map(u32::from), encoding);
    }
    if name.is_nil() && !allowed.empty {
        return None;
    }
    let mut characters = Vec::new();
    let mut pending = Vec::new();
    let mut current = name;
    loop {
        while let Some((head, tail)) = current.as_cons() {
            current = tail;
            if head.is_cons() {
                pending.push(tail);
                current = head;
            } else if let Some(character) = head.as_small() {
                characters.push(u32::try_from(character).ok()?);
            } else if !head.is_nil() {
                return None;
            }
        }
        if !current.is_nil() {
            return None;
        }
        match pending.pop() {
            Some(tail) => current = tail,
            None => return from_characters(characters.into_iter(), encoding),
        }
    }
}

fn from_characters(characters: impl Iterator<Item = u32>, encoding: Encoding) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    for value in characters {
        let character = char::from_u32(value).filter(|&character| character != '\0')?;
        match encoding {
            Encoding::Latin1 => bytes.push(u8::try_from(value).ok()?),
            Encoding::Utf8 => {
                let mut room = [0; 4];
                bytes.extend_from_slice(character.encode_utf8(&mut room).as_bytes());
            }
        }
    }
    Some(bytes)
}

/// The name for native bytes: a list of characters, or `None` if the bytes are not valid in the encoding.
pub fn from_native<A: Allocate + ?Sized>(
    heap: &mut A,
    bytes: &[u8],
    encoding: Encoding,
) -> Option<Term> {
    match encoding {
        Encoding::Latin1 => Some(build::byte_list(heap, bytes)),
        Encoding::Utf8 => Some(build::string(heap, std::str::from_utf8(bytes).ok()?)),
    }
}

/// As [`from_native`], but bytes that are not valid in the encoding become a list of bytes.
pub fn from_native_or_bytes<A: Allocate + ?Sized>(
    heap: &mut A,
    bytes: &[u8],
    encoding: Encoding,
) -> Term {
    match from_native(heap, bytes, encoding) {
        Some(name) => name,
        None => build::byte_list(heap, bytes),
    }
}
