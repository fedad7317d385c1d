//! The types of `erl_nif.h` whose layout is part of the binary interface.
//!
//! They are read from and written to memory of libraries, so nothing here may change but by a new version of the
//! header.

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::mem::MaybeUninit;

use layout::Term;

use crate::env::Env;
use crate::resource::ResourceType;

/// The interface that is offered; its minor version is that of the release.
pub(crate) const MAJOR: c_int = 2;

/// `ErlNifCharEncoding`. Until OTP 26 there was only the first, and no other value was looked at.
pub(crate) const LATIN1: c_int = 1;
pub(crate) const UTF8: c_int = 2;

/// Libraries for another kind of VM have another text here.
pub(crate) const VARIANT: &[u8] = b"beam.vanilla";

/// Where a function of the interface stores a result.
pub(crate) type Out<'a, T> = &'a mut MaybeUninit<T>;

/// A NIF.
pub(crate) type Function =
    unsafe extern "C" fn(env: &mut Env, count: c_int, arguments: *const Term) -> Term;

pub(crate) type Load =
    unsafe extern "C" fn(env: &mut Env, data: *mut *mut c_void, info: Term) -> c_int;
pub(crate) type Upgrade = unsafe extern "C" fn(
    env: &mut Env,
    data: *mut *mut c_void,
    old_data: *mut *mut c_void,
    info: Term,
) -> c_int;
pub(crate) type Unload = unsafe extern "C" fn(env: &mut Env, data: *mut c_void);

/// `ErlNifFunc`.
#[repr(C)]
pub(crate) struct NamedFunction {
    pub name: *const c_char,
    pub arity: c_uint,
    pub function: Option<Function>,
    pub flags: c_uint,
}

/// `ErlNifFunc` before 2.7.
#[repr(C)]
pub(crate) struct OldNamedFunction {
    pub name: *const c_char,
    pub arity: c_uint,
    pub function: Option<Function>,
}

/// `ErlNifEntry`. A library of an earlier interface has only the first of these fields.
#[repr(C)]
pub(crate) struct Entry {
    pub major: c_int,
    pub minor: c_int,
    pub name: *const c_char,
    pub function_count: c_int,
    pub functions: *const NamedFunction,
    pub load: Option<Load>,
    pub reload: Option<Load>,
    pub upgrade: Option<Upgrade>,
    pub unload: Option<Unload>,
    /// Since 2.1.
    pub variant: *const c_char,
    /// Since 2.7.
    pub options: c_uint,
    /// Since 2.12.
    pub sizeof_type_init: usize,
    /// Since 2.14.
    pub least_erts: *const c_char,
}

/// Flags of a function: on which dirty schedulers it runs.
pub(crate) const DIRTY_CPU: c_uint = 1;
pub(crate) const DIRTY_IO: c_uint = 2;

/// `ErlNifBinary`. The header has one more word, which is not touched: libraries that were compiled for an interface
/// before 2.6 do not have room for it.
#[repr(C)]
pub(crate) struct Binary {
    pub size: usize,
    pub data: *mut u8,
    /// The block that the library owns; null if the bytes belong to a term or to the environment.
    pub block: *mut term::off_heap::BinaryBlock,
    pub spare: *mut c_void,
}

/// `ErlNifPid`, `ErlNifPort`: a term.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub(crate) struct Identifier(pub Term);

/// `ErlNifMonitor`.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Monitor {
    pub words: [u64; 4],
}

/// `ErlNifSysInfo`.
#[repr(C)]
pub(crate) struct SystemInfo {
    pub driver_major_version: c_int,
    pub driver_minor_version: c_int,
    pub erts_version: *const c_char,
    pub otp_release: *const c_char,
    pub thread_support: c_int,
    pub smp_support: c_int,
    pub async_threads: c_int,
    pub scheduler_threads: c_int,
    pub nif_major_version: c_int,
    pub nif_minor_version: c_int,
    pub dirty_scheduler_support: c_int,
}

/// `ErlNifMapIterator`.
#[repr(C)]
pub(crate) struct MapIterator {
    pub map: Term,
    pub size: usize,
    /// From 1; 0 is before the first pair, and `size + 1` behind the last.
    pub index: usize,
    /// The pairs, in the order of iteration.
    pub pairs: *mut (Term, Term),
    pub spare: [*mut c_void; 3],
}

pub(crate) type Destructor = unsafe extern "C" fn(env: &mut Env, object: *mut c_void);
pub(crate) type Stop =
    unsafe extern "C" fn(env: &mut Env, object: *mut c_void, event: c_int, is_direct: c_int);
pub(crate) type Down = unsafe extern "C" fn(
    env: &mut Env,
    object: *mut c_void,
    pid: &mut Identifier,
    monitor: &mut Monitor,
);
pub(crate) type DynamicCall =
    unsafe extern "C" fn(env: &mut Env, object: *mut c_void, data: *mut c_void);

/// `ErlNifResourceTypeInit`. Which members there are depends on the function that it is given to.
#[repr(C)]
pub(crate) struct TypeInit {
    pub destructor: Option<Destructor>,
    pub stop: Option<Stop>,
    pub down: Option<Down>,
    pub members: c_int,
    pub dynamic_call: Option<DynamicCall>,
}

/// `ErlNifResourceFlags`.
pub(crate) const CREATE: c_int = 1;
pub(crate) const TAKEOVER: c_int = 2;

/// `ErlNifResourceType *`.
pub(crate) type TypePointer = *const ResourceType;

/// `SysIOVec`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct IoPart {
    pub data: *mut u8,
    pub size: usize,
}

pub(crate) const IOVEC_PARTS: usize = 16;

/// `ErlNifIOVec`.
#[repr(C)]
pub(crate) struct IoVector {
    pub count: c_int,
    pub size: usize,
    pub parts: *mut IoPart,
    pub blocks: *mut *mut c_void,
    pub flags: c_int,
    pub few_parts: [IoPart; IOVEC_PARTS],
    pub few_blocks: [*mut c_void; IOVEC_PARTS],
}

const _: () = {
    assert!(size_of::<NamedFunction>() == 32 && size_of::<OldNamedFunction>() == 24);
    assert!(size_of::<Entry>() == 96);
    assert!(size_of::<Binary>() == 32);
    assert!(size_of::<Monitor>() == 32);
    assert!(size_of::<MapIterator>() == 56);
    assert!(size_of::<TypeInit>() == 40);
    assert!(size_of::<SystemInfo>() == 56);
    assert!(size_of::<IoVector>() == 424);
};
