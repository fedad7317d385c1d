//! Conversion of numbers to text and back.

use layout::{Heap, Term, no_gc};
use smallvec::SmallVec;
use term::copy;
use term::heap::Scratch;
use term::integer::uint8;
use term::text::float::{self, Form};
use term::text::integer::{self, IntegerError};
use term::{am, build, list, unicode};

use runtime::code::bif::{BifResult, Failure, badarg, dirty_unless, system_limit};
use runtime::mail::current::charge;
use runtime::mail::loans;
use runtime::process::Process;

/// Integers of more words than this are converted to digits by dirty schedulers: it takes more than linear time.
const MOST_LIMBS_HERE: usize = 256;
/// Texts with more digits than this are parsed by dirty schedulers.
const MOST_DIGITS_HERE: usize = 4_000;

fn base_of(base: Term) -> Option<u32> {
    let base = u32::try_from(base.as_small()?).ok()?;
    (2..=36).contains(&base).then_some(base)
}

/// Builds a term of the text of an integer.
#[inline]
fn of_digits(
    process: &mut Process,
    number: Term,
    base: u32,
    build: impl FnOnce(&mut Heap, &[u8]) -> Term,
) -> BifResult {
    if let Some(value) = number.as_small() {
        let mut room = [0; integer::SMALL_BYTES];
        let text = integer::print_small(value, base, &mut room);
        return Ok(build(process.heap(), text));
    }
    let no_gc = no_gc!();
    let (_, limbs) = number.as_big(no_gc).ok_or(badarg(1))?;
    dirty_unless(limbs.len() <= MOST_LIMBS_HERE)?;
    let text = loans::apart(process, || integer::print(number, base));
    charge((text.len() / 64) as i64);
    Ok(build(process.heap(), text.as_bytes()))
}

fn failure(error: IntegerError) -> Failure {
    match error {
        IntegerError::NotAnInteger => badarg(1),
        IntegerError::SystemLimit => system_limit(),
    }
}

/// `erlang:integer_to_list(Integer)`
pub(crate) fn integer_to_list_1(process: &mut Process, [number]: [Term; 1]) -> BifResult {
    of_digits(process, number, 10, build::byte_list)
}

/// `erlang:integer_to_list(Integer, Base)`
pub(crate) fn integer_to_list_2(process: &mut Process, [number, base]: [Term; 2]) -> BifResult {
    let base = base_of(base).ok_or(badarg(2))?;
    of_digits(process, number, base, build::byte_list)
}

/// `erlang:integer_to_binary(Integer)`
pub(crate) fn integer_to_binary_1(process: &mut Process, [number]: [Term; 1]) -> BifResult {
    of_digits(process, number, 10, build::binary)
}

/// `erlang:integer_to_binary(Integer, Base)`
pub(crate) fn integer_to_binary_2(process: &mut Process, [number, base]: [Term; 2]) -> BifResult {
    let base = base_of(base).ok_or(badarg(2))?;
    of_digits(process, number, base, build::binary)
}

/// The integer that is the whole of a text. Others need not wait for the process while a long one is read.
fn parse(process: &mut Process, text: &[u8], base: u32) -> BifResult {
    if text.len() <= MOST_DIGITS_HERE {
        return integer::parse(process.heap(), text, base).map_err(failure);
    }
    dirty_unless(false)?;
    let mut scratch = Scratch::new();
    let number = loans::apart(process, || integer::parse(scratch.heap(), text, base));
    Ok(copy::copy(process.heap(), number.map_err(failure)?))
}

/// `erlang:binary_to_integer(Binary)`
pub(crate) fn binary_to_integer_1(process: &mut Process, [binary]: [Term; 1]) -> BifResult {
    let no_gc = no_gc!();
    let text = unicode::bytes_of(binary, no_gc).ok_or(badarg(1))?;
    parse(process, &text, 10)
}

/// `erlang:binary_to_integer(Binary, Base)`
pub(crate) fn binary_to_integer_2(process: &mut Process, [binary, base]: [Term; 2]) -> BifResult {
    let base = base_of(base).ok_or(badarg(2))?;
    let no_gc = no_gc!();
    let text = unicode::bytes_of(binary, no_gc).ok_or(badarg(1))?;
    parse(process, &text, base)
}

/// The characters of a text; most numbers have no more.
type Text = SmallVec<[u8; 32]>;

/// Reads the characters at the start of a list that may be part of a number. The result is whether they make up the
/// whole of a proper list.
fn read_leading(list: Term, is_part: impl Fn(u8) -> bool, text: &mut Text) -> bool {
    for item in list::items(list) {
        match item.ok().and_then(uint8) {
            Some(byte) if is_part(byte) => text.push(byte),
            _ => return false,
        }
    }
    true
}

/// The rest of a list after its first `count` cells.
fn behind(list: Term, count: usize) -> Term {
    (0..count).fold(list, |rest, _| rest.expect_cell().tail())
}

fn list_to_integer(process: &mut Process, list: Term, base: u32) -> BifResult {
    if let Some((value, rest)) = integer::few_digits(list, base) {
        return match rest.is_nil() {
            true => Ok(Term::small(value)),
            false => Err(badarg(1)),
        };
    }
    let mut text = Text::new();
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"+-".contains(&byte);
    if !read_leading(list, is_part, &mut text) {
        return Err(badarg(1));
    }
    parse(process, &text, base)
}

/// `erlang:list_to_integer(Characters)`
pub(crate) fn list_to_integer_1(process: &mut Process, [list]: [Term; 1]) -> BifResult {
    list_to_integer(process, list, 10)
}

/// Whether a text of digits, perhaps with a sign, is too long to be read at once: whoever asks does it piece by piece.
fn is_big(text: &[u8], base: u32) -> bool {
    let digits = text.strip_prefix(b"-").or(text.strip_prefix(b"+"));
    let digits = digits.unwrap_or(text);
    let zeros = digits.iter().take_while(|&&byte| byte == b'0').count();
    digits.len() - zeros > PIECE_DIGITS[base as usize]
}

/// How many digits of a base the pieces have: as many as are small whatever they are.
const PIECE_DIGITS: [usize; 37] = {
    let mut digits = [0; 37];
    let mut base = 2;
    while base < digits.len() {
        digits[base] = (1u64 << 59).ilog(base as u64) as usize;
        base += 1;
    }
    digits
};

/// `erts_internal:binary_to_integer(Binary, Base)`: an integer, `badarg`, or `big`.
pub(crate) fn internal_binary_to_integer_2(
    process: &mut Process,
    [binary, base]: [Term; 2],
) -> BifResult {
    let no_gc = no_gc!();
    let (Some(text), Some(base)) = (unicode::bytes_of(binary, no_gc), base_of(base)) else {
        return Ok(am::BADARG);
    };
    if is_big(&text, base) {
        return Ok(term::atom::known("big"));
    }
    Ok(integer::parse(process.heap(), &text, base).unwrap_or(am::BADARG))
}

/// `{Integer, Rest}` for a list that starts with few digits; see [`integer::few_digits`].
fn few_digits_and_rest(process: &mut Process, list: Term, base: u32) -> Option<Term> {
    let (value, rest) = integer::few_digits(list, base)?;
    Some(build::tuple(process.heap(), &[Term::small(value), rest]))
}

/// `erts_internal:list_to_integer(List, Base)`: `{Integer, Rest}`, `big`, `badarg`, `no_integer`, or `not_a_list`.
pub(crate) fn internal_list_to_integer_2(
    process: &mut Process,
    [list, base]: [Term; 2],
) -> BifResult {
    let Some(base) = base_of(base) else {
        return Ok(am::BADARG);
    };
    if !list.is_list() {
        return Ok(term::atom::known("not_a_list"));
    }
    if let Some(found) = few_digits_and_rest(process, list, base) {
        return Ok(found);
    }
    let mut text = Text::new();
    let is_part = |byte| char::from(byte).is_digit(base) || b"+-".contains(&byte);
    read_leading(list, is_part, &mut text);
    let sign = usize::from(matches!(text.first(), Some(b'+' | b'-')));
    let signs = text[sign..].iter().position(|byte| b"+-".contains(byte));
    let text = &text[..signs.map_or(text.len(), |end| sign + end)];
    if is_big(text, base) {
        return Ok(term::atom::known("big"));
    }
    match integer::parse_prefix(process.heap(), text, base) {
        Ok((number, length)) => {
            let rest = behind(list, length);
            Ok(build::tuple(process.heap(), &[number, rest]))
        }
        Err(_) => Ok(term::atom::known("no_integer")),
    }
}

/// `erts_internal:term_to_string(Term, Limit | undefined)`: the text that `erlang:display/1` writes, up to a limit.
pub(crate) fn term_to_string_2(process: &mut Process, [term, limit]: [Term; 2]) -> BifResult {
    let limit = match limit {
        am::UNDEFINED => None,
        limit => Some(
            limit
                .as_small()
                .filter(|limit| *limit > 0)
                .ok_or(badarg(2))?,
        ),
    };
    let text = match limit {
        None => term::print::display_bytes(term),
        Some(limit) => term::print::display_limited(term, limit as usize)
            .to_string()
            .into_bytes(),
    };
    charge((text.len() / 64) as i64);
    Ok(build::byte_list(process.heap(), &text))
}

/// `erlang:list_to_integer(Characters, Base)`
pub(crate) fn list_to_integer_2(process: &mut Process, [list, base]: [Term; 2]) -> BifResult {
    list_to_integer(process, list, base_of(base).ok_or(badarg(2))?)
}

fn no_number(process: &mut Process, why: &str) -> Term {
    let why = term::atom::known(why);
    build::tuple(process.heap(), &[am::ERROR, why])
}

/// `string:list_to_integer(String)`: `{Integer, Rest}`, or `{error, no_integer | not_a_list}`.
pub(crate) fn string_list_to_integer_1(process: &mut Process, [list]: [Term; 1]) -> BifResult {
    if !list.is_list() {
        return Ok(no_number(process, "not_a_list"));
    }
    if let Some(found) = few_digits_and_rest(process, list, 10) {
        return Ok(found);
    }
    let mut text = Text::new();
    let is_part = |byte: u8| byte.is_ascii_digit() || b"+-".contains(&byte);
    read_leading(list, is_part, &mut text);
    dirty_unless(text.len() <= MOST_DIGITS_HERE)?;
    match integer::parse_prefix(process.heap(), &text, 10) {
        Ok((number, length)) => {
            let rest = behind(list, length);
            Ok(build::tuple(process.heap(), &[number, rest]))
        }
        Err(IntegerError::NotAnInteger) => Ok(no_number(process, "no_integer")),
        Err(IntegerError::SystemLimit) => Err(system_limit()),
    }
}

/// `string:list_to_float(String)`: `{Float, Rest}`, or `{error, no_float | not_a_list}`.
pub(crate) fn string_list_to_float_1(process: &mut Process, [list]: [Term; 1]) -> BifResult {
    if !list.is_list() {
        return Ok(no_number(process, "not_a_list"));
    }
    let mut text = Text::new();
    let is_part = |byte: u8| byte.is_ascii_digit() || b"+-.,eE".contains(&byte);
    read_leading(list, is_part, &mut text);
    match float::parse_prefix(&text) {
        Some((value, length)) => {
            let rest = behind(list, length);
            let number = build::float(process.heap(), value);
            Ok(build::tuple(process.heap(), &[number, rest]))
        }
        None => Ok(no_number(process, "no_float")),
    }
}

/// The form that a list of options asks for. Later options override earlier ones.
fn form_of(options: Term) -> Option<Form> {
    #[derive(Clone, Copy)]
    enum Kind {
        Scientific,
        Decimals,
        Short,
    }
    let (mut kind, mut decimals, mut compact) = (Kind::Scientific, 20, false);
    for option in list::items(options) {
        match option.ok()? {
            am::COMPACT => compact = true,
            am::SHORT => kind = Kind::Short,
            option => {
                let [name, value] = option.as_tuple_of()?;
                kind = match name {
                    am::DECIMALS => Kind::Decimals,
                    am::SCIENTIFIC => Kind::Scientific,
                    _ => return None,
                };
                decimals = value.as_small()?;
            }
        }
    }
    Some(match kind {
        Kind::Scientific => Form::Scientific(decimals),
        Kind::Decimals => Form::Decimals { decimals, compact },
        Kind::Short => Form::Short,
    })
}

/// Makes a term of a float's text.
fn float_text(
    process: &mut Process,
    number: Term,
    form: Form,
    make: impl FnOnce(&mut Heap, &[u8]) -> Term,
) -> BifResult {
    let value = number.as_float().ok_or(badarg(1))?;
    let made = float::with_text(value, form, |text| make(process.heap(), text));
    made.ok_or(badarg(2))
}

/// `erlang:float_to_list(Float)`
pub(crate) fn float_to_list_1(process: &mut Process, [number]: [Term; 1]) -> BifResult {
    float_text(process, number, Form::default(), build::byte_list)
}

/// `erlang:float_to_list(Float, Options)`
pub(crate) fn float_to_list_2(process: &mut Process, [number, options]: [Term; 2]) -> BifResult {
    let form = form_of(options).ok_or(badarg(2))?;
    float_text(process, number, form, build::byte_list)
}

/// `erlang:float_to_binary(Float)`
pub(crate) fn float_to_binary_1(process: &mut Process, [number]: [Term; 1]) -> BifResult {
    float_text(process, number, Form::default(), build::binary)
}

/// `erlang:float_to_binary(Float, Options)`
pub(crate) fn float_to_binary_2(process: &mut Process, [number, options]: [Term; 2]) -> BifResult {
    let form = form_of(options).ok_or(badarg(2))?;
    float_text(process, number, form, build::binary)
}

/// `erlang:list_to_float(Characters)`
pub(crate) fn list_to_float_1(process: &mut Process, [list]: [Term; 1]) -> BifResult {
    let text = list::bytes(list).ok_or(badarg(1))?;
    let value = float::parse(&text).ok_or(badarg(1))?;
    Ok(build::float(process.heap(), value))
}

/// `erlang:binary_to_float(Binary)`
pub(crate) fn binary_to_float_1(process: &mut Process, [binary]: [Term; 1]) -> BifResult {
    let no_gc = no_gc!();
    let text = unicode::bytes_of(binary, no_gc).ok_or(badarg(1))?;
    let value = float::parse(&text).ok_or(badarg(1))?;
    Ok(build::float(process.heap(), value))
}
