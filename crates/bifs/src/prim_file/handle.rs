//! Open files: the functions that take a handle.
//!
//! A handle is a magic reference to an [`OpenFile`]. The process that opened the file owns it; when the owner ends, the
//! file is closed. As in OTP, a handle that nobody refers to stays open until then, because closing may block and a
//! garbage collection must not.
//!
//! The file's descriptor is closed when the last operation on it ends, so its number is never reused while it is in
//! use. Reads of regular files are tried on the scheduler that runs the process, and complete there if the bytes are in
//! memory. What may block is left to a dirty scheduler.

use std::borrow::Cow;
use std::io::IoSlice;
use std::os::fd::{AsFd, AsRawFd};
use std::sync::Arc;

use layout::{Heap, NoGc, Term, no_gc};
use parking_lot::Mutex;
use sys::file::info::FileKind;
use sys::file::{Advice, File, OpenMode, SeekFrom};
use sys::{Errno, fd};
use term::unicode::bytes_of;
use term::{am, build, list};

use super::{BifResult, Refusal, answer, badarg, emulator, ok, path, posix, system};
use crate::magic;
use runtime::code::bif::Failure;
use runtime::mail::current::charge;
use runtime::mail::loans::apart;
use runtime::process::Process;
use term::input_buffer::InputBuffer;
use term::integer::{int32, int64};

/// The open file that a handle refers to.
struct OpenFile {
    /// `None` once it is closed.
    file: Mutex<Option<Arc<File>>>,
    /// Identifies the exit action that closes the file when the owner ends.
    at_exit: u64,
    /// Whether reads may be answered from memory, without blocking.
    cached: bool,
}

/// The object behind a handle's reference.
type Handle = Arc<OpenFile>;

/// Most binaries that one write takes; the module calls again with the rest.
const MOST_BINARIES: usize = 64;
/// Size of the first buffer for a file of unknown size.
const FIRST_READ_BYTES: usize = 16 << 10;

impl OpenFile {
    /// The file, if it is open.
    fn get(&self) -> Result<Arc<File>, Errno> {
        self.file.lock().clone().ok_or(Errno::EINVAL)
    }

    /// Closes the file: at once, or when the operations in progress have ended.
    fn close(&self) -> Result<(), Errno> {
        let file = self.file.lock().take().ok_or(Errno::EINVAL)?;
        match Arc::try_unwrap(file) {
            Ok(file) => file.close(),
            Err(_in_use) => Ok(()),
        }
    }
}

fn handle(reference: Term, no_gc: &NoGc) -> Result<&Handle, Refusal> {
    magic::get::<Handle>(reference, no_gc).ok_or(Refusal::Badarg(1))
}

fn file(reference: Term) -> Result<Arc<File>, Refusal> {
    Ok(handle(reference, no_gc!())?.get()?)
}

/// The handle of an open file; this is checked before the other arguments.
fn open_handle(reference: Term, no_gc: &NoGc) -> Result<&Handle, Refusal> {
    let handle = handle(reference, no_gc)?;
    handle.get()?;
    Ok(handle)
}

/// The file of a handle, for callers that send it over a socket; `None` if the term is not a handle.
pub(crate) fn file_of(reference: Term) -> Option<sys::Result<Arc<File>>> {
    magic::get::<Handle>(reference, no_gc!()).map(|handle| handle.get())
}

/// `{ok, Handle}` for a file that the process owns from now on.
fn own(process: &mut Process, file: File) -> Term {
    let cached = file.info().is_ok_and(|info| info.kind == FileKind::Regular);
    let file = Mutex::new(Some(Arc::new(file)));
    let handle = process.extras().at_exit.add(|at_exit| {
        let handle = Arc::new(OpenFile {
            file,
            at_exit,
            cached,
        });
        let closing = Arc::clone(&handle);
        // The owner has ended, so the result of closing is dropped.
        let close = move |_| {
            runtime::mail::dirty::later(runtime::process::dirty::DirtyKind::Io, move || {
                _ = closing.close()
            })
        };
        (handle, Box::new(close))
    });
    let at_exit = handle.at_exit;
    let reference = magic::make::<Handle>(process, handle);
    let number = magic::findable(reference);
    let show =
        move |heap: &mut Heap, watchers: &mut Vec<Term>| watchers.push(magic::again(heap, number));
    process
        .extras()
        .at_exit
        .set_watcher(at_exit, Box::new(show));
    ok(process, reference)
}

fn open_mode(modes: Term) -> OpenMode {
    let mut mode = OpenMode::default();
    // An improper tail is ignored.
    for option in list::items(modes).map_while(Result::ok) {
        match option {
            am::READ => mode.read = true,
            am::WRITE => mode.write = true,
            am::EXCLUSIVE => mode.exclusive = true,
            am::APPEND => mode.append = true,
            am::SYNC => mode.sync = true,
            am::SKIP_TYPE_CHECK => mode.skip_type_check = true,
            am::DIRECTORY => mode.directory = true,
            // The layers above handle `raw`, `delayed_write` and others.
            _ => {}
        }
    }
    if mode.append || mode.exclusive {
        mode.write = true;
    } else if !mode.write {
        mode.read = true;
    }
    mode
}

/// `prim_file:open_nif(Name, Modes)`
pub(crate) fn open_nif_2(process: &mut Process, [name, modes]: [Term; 2]) -> BifResult {
    if !modes.is_cons() && !modes.is_nil() {
        return Err(badarg(2));
    }
    let opened = path(name, no_gc!()).and_then(|name| {
        let mode = open_mode(modes);
        let file = apart(process, || File::open(&name, mode))?;
        if !mode.write {
            emulator::was_read(&name);
        }
        Ok(file)
    });
    Ok(match opened {
        Ok(file) => own(process, file),
        Err(error) => posix(process, error),
    })
}

/// `prim_file:file_desc_to_ref_nif(Number)`: a handle for a descriptor that is open already.
pub(crate) fn file_desc_to_ref_nif_1(process: &mut Process, [number]: [Term; 1]) -> BifResult {
    let number = int32(number).ok_or(badarg(1))?;
    // SAFETY: by calling this function the program vouches that the descriptor is its own to hand over.
    Ok(match unsafe { fd::adopt(number) } {
        Ok(fd) => own(process, File::from_fd(fd)),
        Err(error) => posix(process, error),
    })
}

/// `prim_file:close_nif(Handle)`
pub(crate) fn close_nif_1(process: &mut Process, [reference]: [Term; 1]) -> BifResult {
    let no_gc = no_gc!();
    let outcome = handle(reference, no_gc).and_then(|handle| {
        process.extras().at_exit.remove(handle.at_exit);
        handle.close()?;
        Ok(am::OK)
    });
    answer(process, outcome)
}

/// `prim_file:delayed_close_nif(Handle)`: called by OTP's process that closes orphaned files. Here the file was closed
/// when its owner ended.
pub(crate) fn delayed_close_nif_1(process: &mut Process, [reference]: [Term; 1]) -> BifResult {
    let no_gc = no_gc!();
    let outcome = handle(reference, no_gc).and_then(|handle| match handle.get() {
        Ok(_) => Err(Errno::EINVAL.into()),
        Err(_) => Ok(am::OK),
    });
    answer(process, outcome)
}

/// An integer that is not negative; any other number is `einval`, any other term `badarg`.
fn not_negative(term: Term, number: usize) -> Result<i64, Refusal> {
    if !term.is_number() {
        return Err(Refusal::Badarg(number));
    }
    let value = int64(term).filter(|value| *value >= 0);
    value.ok_or(Refusal::Posix(Errno::EINVAL))
}

/// Longer reads, in bytes, are not tried on a normal scheduler, because copying so much takes a while.
const MOST_CACHED_BYTES: usize = 64 << 10;

/// What a read on a normal scheduler costs: it takes half a microsecond at least, and others on the scheduler wait for
/// their turns. With one reduction for each they waited for four milliseconds.
const REDUCTIONS_PER_CACHED: i64 = 100;
/// Bytes that are copied about as fast as a reduction passes.
const BYTES_PER_REDUCTION: usize = 64;

/// Why a read has no result.
enum NotRead {
    Refused(Refusal),
    /// It may block, which is not allowed on this thread.
    WouldBlock,
}

impl<T: Into<Refusal>> From<T> for NotRead {
    fn from(refusal: T) -> NotRead {
        NotRead::Refused(refusal.into())
    }
}

/// Reads up to `size` bytes, from an offset if one is given: `{ok, Binary}`, or `eof`.
fn read(
    process: &mut Process,
    handle: &OpenFile,
    offset: Option<i64>,
    size: i64,
) -> Result<Term, NotRead> {
    let file = handle.get()?;
    let size = usize::try_from(size).map_err(|_| Errno::ENOMEM)?;
    if size == 0 {
        file.read_nothing(offset)?;
        return Ok(am::EOF);
    }
    let may_be_cached = handle.cached && size <= MOST_CACHED_BYTES;
    if !may_be_cached && !runtime::mail::dirty::is_here() {
        return Err(NotRead::WouldBlock);
    }
    let mut incoming = InputBuffer::new(size).ok_or(Errno::ENOMEM)?;
    let length = if runtime::mail::dirty::is_here() {
        let room = incoming.room();
        apart(process, || match offset {
            Some(offset) => file.pread_uninit(offset, room),
            None => file.read_uninit(room),
        })?
    } else {
        let read = file.read_cached(offset, incoming.room())?;
        let length = read.ok_or(NotRead::WouldBlock)?;
        charge(REDUCTIONS_PER_CACHED + (length / BYTES_PER_REDUCTION) as i64);
        length
    };
    if length == 0 {
        return Ok(am::EOF);
    }
    // SAFETY: the read has reported that it wrote `length` bytes.
    let bytes = unsafe { incoming.into_binary(process.heap(), length) };
    Ok(ok(process, bytes))
}

fn answer_read(process: &mut Process, outcome: Result<Term, NotRead>) -> BifResult {
    match outcome {
        Ok(term) => Ok(term),
        Err(NotRead::Refused(refusal)) => answer(process, Err(refusal)),
        Err(NotRead::WouldBlock) => Err(Failure::Dirty),
    }
}

/// `prim_file:read_nif(Handle, Size)`
pub(crate) fn read_nif_2(process: &mut Process, [reference, size]: [Term; 2]) -> BifResult {
    let no_gc = no_gc!();
    let outcome = open_handle(reference, no_gc)
        .and_then(|handle| Ok((handle, not_negative(size, 2)?)))
        .map_err(NotRead::from)
        .and_then(|(handle, size)| read(process, handle, None, size));
    answer_read(process, outcome)
}

/// `prim_file:pread_nif(Handle, Offset, Size)`
pub(crate) fn pread_nif_3(
    process: &mut Process,
    [reference, offset, size]: [Term; 3],
) -> BifResult {
    let no_gc = no_gc!();
    let outcome = open_handle(reference, no_gc)
        .and_then(|handle| {
            numbers(&[offset, size])?;
            Ok((handle, not_negative(offset, 2)?, not_negative(size, 3)?))
        })
        .map_err(NotRead::from)
        .and_then(|(handle, offset, size)| read(process, handle, Some(offset), size));
    answer_read(process, outcome)
}

/// Checks that all terms are numbers, before any of them is checked further.
fn numbers(terms: &[Term]) -> Result<(), Refusal> {
    match terms.iter().position(|term| !term.is_number()) {
        Some(place) => Err(Refusal::Badarg(place + 2)),
        None => Ok(()),
    }
}

type Binaries<'a> = Vec<Cow<'a, [u8]>>;

/// The first binaries of a list, and the rest of the list.
fn take_binaries(list: Term, number: usize, no_gc: &NoGc) -> Result<(Binaries<'_>, Term), Refusal> {
    let mut binaries = Vec::new();
    let mut rest = list;
    while binaries.len() < MOST_BINARIES
        && let Some((head, tail)) = rest.as_cons()
    {
        binaries.push(bytes_of(head, no_gc).ok_or(Refusal::Badarg(number))?);
        rest = tail;
    }
    if rest.is_cons() || rest.is_nil() {
        Ok((binaries, rest))
    } else {
        Err(Refusal::Badarg(number))
    }
}

/// `prim_file:write_nif(Handle, Binaries)`
pub(crate) fn write_nif_2(process: &mut Process, [reference, list]: [Term; 2]) -> BifResult {
    let outcome = file(reference).and_then(|file| {
        let no_gc = no_gc!();
        let (binaries, rest) = take_binaries(list, 2, no_gc)?;
        let mut parts: Vec<IoSlice<'_>> =
            binaries.iter().map(|bytes| IoSlice::new(bytes)).collect();
        apart(process, || file.writev(&mut parts))?;
        Ok(if rest.is_nil() {
            am::OK
        } else {
            build::tuple(process.heap(), &[am::CONTINUE, rest])
        })
    });
    answer(process, outcome)
}

/// `prim_file:pwrite_nif(Handle, Offset, Binaries)`
pub(crate) fn pwrite_nif_3(
    process: &mut Process,
    [reference, offset, list]: [Term; 3],
) -> BifResult {
    let outcome = file(reference).and_then(|file| {
        numbers(&[offset])?;
        let no_gc = no_gc!();
        let (binaries, rest) = take_binaries(list, 3, no_gc)?;
        let offset = not_negative(offset, 2)?;
        let written: usize = binaries.iter().map(|bytes| bytes.len()).sum();
        let mut parts: Vec<IoSlice<'_>> =
            binaries.iter().map(|bytes| IoSlice::new(bytes)).collect();
        apart(process, || file.pwritev(offset, &mut parts))?;
        Ok(if rest.is_nil() {
            am::OK
        } else {
            let heap = process.heap();
            let written = build::unsigned(heap, written as u64);
            build::tuple(heap, &[am::CONTINUE, written, rest])
        })
    });
    answer(process, outcome)
}

/// `prim_file:seek_nif(Handle, bof | cur | eof, Offset)`
pub(crate) fn seek_nif_3(process: &mut Process, [reference, mark, offset]: [Term; 3]) -> BifResult {
    let outcome = file(reference).and_then(|file| {
        let offset = int64(offset).ok_or(Refusal::Badarg(3))?;
        let from = match mark {
            am::BOF => SeekFrom::Start,
            am::CUR => SeekFrom::Current,
            am::EOF => SeekFrom::End,
            _ => return Err(Refusal::Badarg(2)),
        };
        let position = file.seek(from, offset)?;
        let position = build::unsigned(process.heap(), position);
        Ok(ok(process, position))
    });
    answer(process, outcome)
}

/// `prim_file:sync_nif(Handle, DataOnly)`, 0 or another integer
pub(crate) fn sync_nif_2(process: &mut Process, [reference, data_only]: [Term; 2]) -> BifResult {
    let outcome = file(reference).and_then(|file| {
        let data_only = int32(data_only).ok_or(Refusal::Badarg(2))?;
        apart(process, || match data_only {
            0 => file.sync(),
            _ => file.sync_data(),
        })?;
        Ok(am::OK)
    });
    answer(process, outcome)
}

/// `prim_file:truncate_nif(Handle)`
pub(crate) fn truncate_nif_1(process: &mut Process, [reference]: [Term; 1]) -> BifResult {
    let outcome = file(reference).and_then(|file| {
        apart(process, || file.truncate())?;
        Ok(am::OK)
    });
    answer(process, outcome)
}

/// `prim_file:allocate_nif(Handle, Offset, Length)`
pub(crate) fn allocate_nif_3(
    process: &mut Process,
    [reference, offset, length]: [Term; 3],
) -> BifResult {
    let outcome = file(reference).and_then(|file| {
        numbers(&[offset, length])?;
        let (offset, length) = (not_negative(offset, 2)?, not_negative(length, 3)?);
        apart(process, || file.allocate(offset, length))?;
        Ok(am::OK)
    });
    answer(process, outcome)
}

/// `prim_file:advise_nif(Handle, Offset, Length, Advice)`
pub(crate) fn advise_nif_4(
    process: &mut Process,
    [reference, offset, length, advice]: [Term; 4],
) -> BifResult {
    let outcome = file(reference).and_then(|file| {
        numbers(&[offset, length])?;
        let (offset, length) = (not_negative(offset, 2)?, not_negative(length, 3)?);
        let advice = match advice {
            am::NORMAL => Advice::Normal,
            am::RANDOM => Advice::Random,
            am::SEQUENTIAL => Advice::Sequential,
            am::WILL_NEED => Advice::WillNeed,
            am::DONT_NEED => Advice::DontNeed,
            am::NO_REUSE => Advice::NoReuse,
            // OTP returns `einval` here, not `badarg`.
            _ => return Err(Errno::EINVAL.into()),
        };
        file.advise(offset, length, advice)?;
        Ok(am::OK)
    });
    answer(process, outcome)
}

/// `prim_file:ipread_s32bu_p32bu_nif(Handle, Offset, MaxSize)`: reads a size and an offset, 32 bits each, and then the
/// data at that offset: `{ok, {Size, Offset, Data | eof}}`, or `eof`.
pub(crate) fn ipread_s32bu_p32bu_nif_3(
    process: &mut Process,
    [reference, offset, most]: [Term; 3],
) -> BifResult {
    let outcome = file(reference).and_then(|file| {
        numbers(&[offset, most])?;
        let offset = not_negative(offset, 2)?;
        let most = int64(most).filter(|most| *most < 1 << 31);
        let most = most.ok_or(Refusal::Posix(Errno::EINVAL))?;
        let mut pointer = [0; 8];
        if file.pread(offset, &mut pointer)? < pointer.len() {
            return Ok(am::EOF);
        }
        let [s0, s1, s2, s3, p0, p1, p2, p3] = pointer;
        let size = i64::from(u32::from_be_bytes([s0, s1, s2, s3]));
        let place = i64::from(u32::from_be_bytes([p0, p1, p2, p3]));
        if size > most {
            return Ok(am::EOF);
        }
        let room = usize::try_from(size).map_err(|_| Errno::ENOMEM)?;
        let mut incoming = InputBuffer::new(room).ok_or(Errno::ENOMEM)?;
        let data = match file.pread_uninit(place, incoming.room())? {
            0 => am::EOF,
            // SAFETY: the read has reported that it wrote `length` bytes.
            length => unsafe { incoming.into_binary(process.heap(), length) },
        };
        let block = [Term::small(size), Term::small(place), data];
        let block = build::tuple(process.heap(), &block);
        Ok(ok(process, block))
    });
    answer(process, outcome)
}

/// `prim_file:get_handle_nif(Handle)`: the descriptor's number, as bytes in native order.
pub(crate) fn get_handle_nif_1(process: &mut Process, [reference]: [Term; 1]) -> BifResult {
    let outcome = file(reference).map(|file| {
        let number = file.as_fd().as_raw_fd();
        build::binary(process.heap(), &number.to_ne_bytes())
    });
    answer(process, outcome)
}

/// `prim_file:read_handle_info_nif(Handle)`
pub(crate) fn read_handle_info_nif_1(process: &mut Process, [reference]: [Term; 1]) -> BifResult {
    let outcome = file(reference).and_then(|file| {
        let info = file.info()?;
        Ok(system::file_info(process.heap(), &info))
    });
    answer(process, outcome)
}

/// `prim_file:read_file_nif(Name)`
pub(crate) fn read_file_nif_1(process: &mut Process, [name]: [Term; 1]) -> BifResult {
    let mode = OpenMode {
        read: true,
        ..OpenMode::default()
    };
    let content = path(name, no_gc!()).and_then(|name| {
        let content = apart(process, || read_whole(&File::open(&name, mode)?))?;
        emulator::was_read(&name);
        Ok(content)
    });
    Ok(match content {
        Ok((incoming, length)) => {
            // SAFETY: `read_whole` says that so many bytes were written.
            let content = unsafe { incoming.into_binary(process.heap(), length) };
            ok(process, content)
        }
        Err(error) => posix(process, error),
    })
}

/// Reads a whole file, and says how many bytes were written. If the file reports its size, no more than that is read,
/// even if it grows meanwhile.
fn read_whole(file: &File) -> Result<(InputBuffer, usize), Errno> {
    let said = file.info().map_or(0, |info| info.size);
    let said = usize::try_from(said).map_err(|_| Errno::ENOMEM)?;
    let mut size = if said == 0 { FIRST_READ_BYTES } else { said };
    let mut incoming = InputBuffer::new(size).ok_or(Errno::ENOMEM)?;
    let mut length = 0;
    loop {
        length += file.read_uninit(&mut incoming.room()[length..])?;
        if length < size || length == said {
            return Ok((incoming, length));
        }
        size = size.checked_mul(2).ok_or(Errno::ENOMEM)?;
        incoming = incoming.grow(size).ok_or(Errno::ENOMEM)?;
    }
}
