//! `unicode`: conversion of character data to binaries and lists, as much per slice as it allows.
//!
//! The output of earlier slices is kept as a [`Progress`] in front of the remaining data.

use layout::{Term, no_gc};
use term::release::{self, Release};
use term::unicode::{self, Conversion, Encoding};
use term::{am, atom, build};

use super::erts_debug::UNICODE_LOOP;
use super::magic;
use runtime::code::bif::{BifResult, Failure, badarg, trap};
use runtime::mail::current::{charge, reductions_left};
use runtime::process::Process;

/// Characters that count as one reduction.
const CHARACTERS_PER_REDUCTION: usize = 64;

/// Bytes of converted text that are made into a list within a slice; for more, a dirty scheduler does it.
const SHORT_TEXT: usize = 1 << 16;

/// UTF-8 output of earlier slices.
struct Progress(parking_lot::Mutex<Vec<u8>>);

#[derive(Clone, Copy)]
enum Wanted {
    Binary,
    List,
}

fn convert(process: &mut Process, data: Term, encoding: Term, wanted: Wanted) -> BifResult {
    let Some(known) = Encoding::from_atom(encoding) else {
        let name = match wanted {
            Wanted::Binary => "characters_to_binary_int",
            Wanted::List => "characters_to_list_int",
        };
        let arguments = [data, encoding];
        return Err(trap(am::UNICODE, atom::known(name), &arguments));
    };
    let no_gc = no_gc!();
    let progress = data
        .as_cons()
        .and_then(|(head, rest)| Some((magic::get::<Progress>(head, no_gc)?, rest)));
    let budget = reductions_left().max(8) as usize * CHARACTERS_PER_REDUCTION;
    let mut budget = UNICODE_LOOP.bound(budget);
    let (mut out, before, data) = match progress {
        Some((Progress(out), rest)) => {
            let out = std::mem::take(&mut *out.lock());
            let before = out.len();
            (out, before, rest)
        }
        None => {
            let data = match (wanted, data.as_cons()) {
                (Wanted::Binary, Some((only, Term::NIL))) if only.is_bitstring() => only,
                _ => data,
            };
            if let Some(converted) = at_once(process, data, known, wanted, budget) {
                return Ok(converted);
            }
            let mut out = Vec::new();
            let data = unicode::leading_characters(data, known, &mut budget, &mut out);
            unicode::check(data).map_err(|_| badarg(1))?;
            (out, 0, data)
        }
    };
    let conversion = unicode::convert(process.heap(), data, known, budget, &mut out);
    charge(((out.len() - before) / CHARACTERS_PER_REDUCTION) as i64);
    let go_on = |process: &mut Process, out: Vec<u8>, rest: Term| {
        let progress = magic::make(process, Progress(parking_lot::Mutex::new(out)));
        let data = build::cons(process.heap(), progress, rest);
        Err(Failure::Yield {
            arguments: Box::new([data, encoding]),
        })
    };
    let is_done = matches!(conversion, Conversion::Done);
    if let Conversion::More(rest) = conversion {
        return go_on(process, out, rest);
    }
    if is_done
        && matches!(wanted, Wanted::List)
        && out.len() > SHORT_TEXT
        && !runtime::mail::dirty::is_here()
    {
        // A dirty scheduler builds the list, in a call that has nothing else to do.
        if let (Some((progress, _)), true) = (progress, data.is_nil()) {
            *progress.0.lock() = out;
            return Err(Failure::Dirty);
        }
        return go_on(process, out, Term::NIL);
    }
    let heap = process.heap();
    let converted = match wanted {
        Wanted::Binary => build::binary(heap, &out),
        Wanted::List => {
            let text = std::str::from_utf8(&out).expect("what was converted is UTF-8");
            build::string(heap, text)
        }
    };
    Ok(unicode::finish(heap, converted, conversion))
}

/// The result for data that is converted already, or is the UTF-8 that nearly all binaries of text are, and short
/// enough for this slice.
fn at_once(
    process: &mut Process,
    data: Term,
    encoding: Encoding,
    wanted: Wanted,
    budget: usize,
) -> Option<Term> {
    let is_binary = data.is_bitstring();
    let (converted, read) = match wanted {
        Wanted::Binary if is_binary && unicode::needs_no_conversion(data, encoding) => (data, 0),
        Wanted::List if !is_binary => (data, unicode::plain_list_length(data, encoding, budget)?),
        Wanted::List if encoding == Encoding::Utf8 => {
            let most = budget.min(SHORT_TEXT);
            unicode::list_of_utf8(process.heap(), data, most)?
        }
        _ => return None,
    };
    charge((read / CHARACTERS_PER_REDUCTION) as i64);
    Some(converted)
}

/// `unicode:characters_to_binary(Data, Encoding)`: to UTF-8.
pub(crate) fn characters_to_binary_2(
    process: &mut Process,
    [data, encoding]: [Term; 2],
) -> BifResult {
    convert(process, data, encoding, Wanted::Binary)
}

/// `unicode:characters_to_list(Data, Encoding)`
pub(crate) fn characters_to_list_2(
    process: &mut Process,
    [data, encoding]: [Term; 2],
) -> BifResult {
    convert(process, data, encoding, Wanted::List)
}

/// `unicode:bin_is_7bit(Binary)`: in OTP 27 true of the empty one only.
pub(crate) fn bin_is_7bit_1(_process: &mut Process, [binary]: [Term; 1]) -> BifResult {
    let is_27 = release::has(Release::OTP_27) && !release::has(Release::OTP_28);
    let may_be = !is_27 || binary.as_bits().is_some_and(|bits| bits.bit_len() == 0);
    Ok(am::boolean(may_be && unicode::is_7bit(binary)))
}
