//! What a term is; comparing and hashing.

use std::cmp::Ordering;
use std::ffi::c_int;

use layout::{ObjectKind, Term};
use term::{compare, hash, size};

use crate::check;
use crate::env::Env;

macro_rules! kinds {
    ($($name:ident $is:expr;)*) => {
        $(
            #[unsafe(no_mangle)]
            pub(crate) extern "C" fn $name(_env: *const Env, term: Term) -> c_int {
                let is: fn(Term) -> bool = $is;
                c_int::from(!term.is_none() && is(term))
            }
        )*
    };
}

kinds! {
    enif_is_atom Term::is_atom;
    enif_is_binary Term::is_binary;
    enif_is_empty_list Term::is_nil;
    enif_is_fun Term::is_fun;
    enif_is_list Term::is_list;
    enif_is_map Term::is_map;
    enif_is_number Term::is_number;
    enif_is_pid Term::is_pid;
    enif_is_port Term::is_port;
    enif_is_ref Term::is_reference;
    enif_is_tuple Term::is_tuple;
}

/// `ErlNifTermType`
const ATOM: c_int = 1;
const BITSTRING: c_int = 2;
const FLOAT: c_int = 3;
const FUN: c_int = 4;
const INTEGER: c_int = 5;
const LIST: c_int = 6;
const MAP: c_int = 7;
const PID: c_int = 8;
const PORT: c_int = 9;
const REFERENCE: c_int = 10;
const TUPLE: c_int = 11;
/// The interface of OTP 29 has no number for native records, and stock 29.1 aborts: the one after the others.
const NATIVE_RECORD: c_int = 12;

#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_term_type(env: *const Env, term: Term) -> c_int {
    check::read(env, "enif_term_type", term);
    let Some(kind) = term.boxed_kind() else {
        return match term {
            _ if term.is_list() => LIST,
            _ if term.is_atom() => ATOM,
            _ if term.is_small() => INTEGER,
            _ if term.is_pid() => PID,
            _ => PORT,
        };
    };
    match kind {
        ObjectKind::Tuple => TUPLE,
        ObjectKind::NativeRecord => NATIVE_RECORD,
        ObjectKind::PositiveBig | ObjectKind::NegativeBig => INTEGER,
        ObjectKind::Float => FLOAT,
        ObjectKind::Fun | ObjectKind::Export => FUN,
        ObjectKind::Map => MAP,
        ObjectKind::ExternalPid => PID,
        ObjectKind::ExternalPort => PORT,
        ObjectKind::Reference | ObjectKind::ExternalReference => REFERENCE,
        ObjectKind::HeapBinary
        | ObjectKind::SharedBinary
        | ObjectKind::SubBinary
        | ObjectKind::MatchContext => BITSTRING,
    }
}

/// The bytes of a term on a heap, without its own word and without the bytes of binaries that are beside the heap.
#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_term_size(term: Term) -> usize {
    size::flat_size(term) * size_of::<Term>()
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_is_identical(one: Term, other: Term) -> c_int {
    c_int::from(compare::eq_exact(one, other))
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_compare(one: Term, other: Term) -> c_int {
    match compare::compare(one, other) {
        Ordering::Less => -1,
        Ordering::Equal => 0,
        Ordering::Greater => 1,
    }
}

/// `ErlNifHash`
const INTERNAL: c_int = 1;
const PORTABLE: c_int = 2;

#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_hash(kind: c_int, term: Term, salt: u64) -> u64 {
    match kind {
        INTERNAL => u64::from(hash::internal(term, salt as u32)),
        // As many bits as `erlang:phash2/1` has.
        PORTABLE => u64::from(hash::phash2(term)) & ((1 << 27) - 1),
        _ => 0,
    }
}
