//! The types of `erl_driver.h` whose layout is part of the binary interface.

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::mem::offset_of;

use term::off_heap::{BinaryBlock, Counted};

use crate::abi::IoPart;

/// `ErlDrvPort`: the word of the port's identifier.
pub type Handle = usize;
/// `ErlDrvData`
pub type Data = *mut c_void;
/// `ErlDrvEvent`: a descriptor.
pub type Event = usize;

/// `ERL_DRV_EXTENDED_MARKER`, and the versions of the interface.
pub const MARKER: c_int = 0xfeee_eeed_u32 as c_int;
pub const MAJOR: c_int = 3;
pub const MINOR: c_int = 3;

/// Flags of a driver.
pub const USE_PORT_LOCKING: c_int = 1;
pub const SOFT_BUSY: c_int = 1 << 1;
pub const NO_BUSY_QUEUE: c_int = 1 << 2;
pub const USE_INIT_ACK: c_int = 1 << 3;

/// What `start` returns instead of data.
pub const ERROR_GENERAL: isize = -1;
pub const ERROR_ERRNO: isize = -2;
pub const ERROR_BADARG: isize = -3;

/// `PORT_CONTROL_FLAG_BINARY`
pub const CONTROL_BINARY: c_int = 1;
/// `DRIVER_CALL_KEEP_BUFFER`
pub const KEEP_BUFFER: c_uint = 1;

/// `ErlDrvEntry`
#[repr(C)]
pub struct Entry {
    pub init: Option<unsafe extern "C" fn() -> c_int>,
    pub start: Option<unsafe extern "C" fn(Handle, *mut c_char) -> Data>,
    pub stop: Option<unsafe extern "C" fn(Data)>,
    pub output: Option<unsafe extern "C" fn(Data, *mut c_char, usize)>,
    pub ready_input: Option<unsafe extern "C" fn(Data, Event)>,
    pub ready_output: Option<unsafe extern "C" fn(Data, Event)>,
    pub name: *const c_char,
    pub finish: Option<unsafe extern "C" fn()>,
    pub handle: *mut c_void,
    pub control: Option<
        unsafe extern "C" fn(Data, c_uint, *mut c_char, usize, *mut *mut c_char, usize) -> isize,
    >,
    pub timeout: Option<unsafe extern "C" fn(Data)>,
    pub outputv: Option<unsafe extern "C" fn(Data, *mut IoVec)>,
    pub ready_async: Option<unsafe extern "C" fn(Data, *mut c_void)>,
    pub flush: Option<unsafe extern "C" fn(Data)>,
    pub call: Option<
        unsafe extern "C" fn(
            Data,
            c_uint,
            *mut c_char,
            usize,
            *mut *mut c_char,
            usize,
            *mut c_uint,
        ) -> isize,
    >,
    pub unused: *mut c_void,
    pub marker: c_int,
    pub major: c_int,
    pub minor: c_int,
    pub flags: c_int,
    pub handle2: *mut c_void,
    pub process_exit: Option<unsafe extern "C" fn(Data, *const Monitor)>,
    pub stop_select: Option<unsafe extern "C" fn(Event, *mut c_void)>,
    pub emergency_close: Option<unsafe extern "C" fn(Data)>,
}

/// `ErlIOVec`
#[repr(C)]
pub struct IoVec {
    pub count: c_int,
    pub size: usize,
    pub parts: *mut IoPart,
    pub binaries: *mut *mut Binary,
}

/// `ErlDrvMonitor`: the number of the monitor.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Monitor {
    pub number: (u64, u64),
    pub spare: [u64; 2],
}

/// `ErlDrvNowData`
#[repr(C)]
pub struct Now {
    pub megaseconds: u64,
    pub seconds: u64,
    pub microseconds: u64,
}

/// `ErlDrvBinary`: what a driver sees of a binary's block, from its size on.
#[repr(C)]
pub struct Binary {
    pub size: isize,
    pub bytes: [u8; 0],
}

/// Where a driver's view of a block begins.
const VIEW: usize = offset_of!(BinaryBlock, used);

const _: () = {
    assert!(size_of::<Entry>() == 176);
    assert!(size_of::<IoVec>() == 32);
    assert!(size_of::<Monitor>() == 32);
    assert!(VIEW + size_of::<Binary>() == size_of::<BinaryBlock>());
};

impl Binary {
    /// What a driver sees of a block.
    pub fn of(block: *mut BinaryBlock) -> *mut Binary {
        block.wrapping_byte_add(VIEW).cast()
    }

    /// The block that a driver sees so.
    pub fn block(binary: *mut Binary) -> *mut BinaryBlock {
        binary.wrapping_byte_sub(VIEW).cast()
    }

    pub fn counted(binary: *mut Binary) -> *mut Counted {
        Binary::block(binary).cast()
    }
}
