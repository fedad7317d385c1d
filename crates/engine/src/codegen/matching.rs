//! `bs_match`: one operation with a list of commands, which becomes the same instructions as the older operations.
//!
//! The first command ensures that the bits are there; what takes or skips them afterwards does not test that again. As
//! many bits as were ensured are counted here, so a list that takes more gets instructions that test.

use beamfile::{MatchCommand, MatchSegment, Operand as FileOperand};
use layout::Term;
use layout::limits::SMALL_MAX;
use spec::Opcode;
use term::bits::Flags;
use term::{am, list};

use super::emit::Emitter;
use super::error::{Result, bad};
use super::terms::{self, Window};
use crate::bodies::binaries::{self, WINDOW_BITS};
use crate::encoding::{
    Advance, GetBits, GetTail, MatchBits, ReadWindow, TakeByte, TakeFromWindow, TestBits, TestRest,
    TestRestUnit,
};
use crate::operand::Operand;
use crate::slow;

/// Writes the instructions of a `bs_match`.
pub(super) fn commands(
    emitter: &mut Emitter<'_>,
    fail: u32,
    context: FileOperand,
    commands: &[FileOperand],
) -> Result {
    let module = emitter.module;
    let mut rest = commands;
    let mut commands = Vec::with_capacity(rest.len() / 3);
    while let Some((command, behind)) = MatchCommand::read(module.file, module.code, rest) {
        commands.push(command);
        rest = behind;
    }
    if !rest.is_empty() {
        return Err(bad(Opcode::BsMatch, "commands"));
    }
    let mut matching = Matching {
        context: emitter.source(context),
        fail,
        ensured: 0,
        peeked: 0,
        window: 0,
        emitter,
    };
    for (index, &command) in commands.iter().enumerate() {
        matching.command(command, &commands[index + 1..])?;
    }
    matching.advance();
    Ok(())
}

struct Matching<'e, 'a> {
    emitter: &'e mut Emitter<'a>,
    context: Operand,
    fail: u32,
    /// Bits that are known to be left.
    ensured: u64,
    /// Bits that were read and that the position is still to be moved by.
    peeked: u64,
    /// Bits in the window that are still to be taken.
    window: u64,
}

impl Matching<'_, '_> {
    fn command(&mut self, command: MatchCommand, after: &[MatchCommand]) -> Result {
        if !matches!(command, MatchCommand::Integer(_)) {
            self.advance();
        }
        match command {
            MatchCommand::EnsureAtLeast { bits, unit } => self.at_least(bits, unit, after),
            MatchCommand::EnsureExactly { bits } => {
                let words = self.test(bits);
                self.emitter.operation::<binaries::TestTail>(words);
                self.ensured = bits;
            }
            MatchCommand::Integer(segment) => self.integer(segment, after)?,
            MatchCommand::Binary(segment) => {
                let words = self.get_bits(segment, Flags::BIG)?;
                self.emitter.instruction(slow::binaries::get_binary, words);
                self.take(segment.bits());
            }
            MatchCommand::Equals { bits, value } => self.equals(bits, value),
            MatchCommand::Skip { bits } => {
                if self.take(bits) {
                    self.peeked = bits;
                    self.advance();
                } else {
                    let words = self.test(bits);
                    self.emitter.operation::<binaries::SkipBits>(words);
                }
            }
            MatchCommand::GetTail { live, dest } => {
                let words = GetTail {
                    context: self.context,
                    dest: self.emitter.source(dest),
                    live,
                };
                self.emitter.operation::<binaries::GetTail>(words);
            }
        }
        Ok(())
    }

    /// Counts bits as taken; whether they were ensured.
    fn take(&mut self, bits: u64) -> bool {
        let rest = self.ensured.checked_sub(bits);
        self.ensured = rest.unwrap_or(0);
        rest.is_some()
    }

    fn test(&self, bits: u64) -> TestBits {
        TestBits {
            context: self.context,
            fail: self.fail,
            bits,
        }
    }

    fn at_least(&mut self, bits: u64, unit: u64, after: &[MatchCommand]) {
        // A single command tests by itself.
        if unit == 1 && tests_alone(after, bits) {
            return;
        }
        let (context, fail) = (self.context, self.fail);
        let mask = unit - 1;
        if bits == 0 && unit == 1 {
            // Nothing to test.
        } else if unit == 1 {
            let words = self.test(bits);
            self.emitter.operation::<binaries::TestAtLeast>(words);
        } else if unit.is_power_of_two() {
            self.emitter.operation::<binaries::TestRest>(TestRest {
                context,
                fail,
                bits,
                mask,
            });
        } else {
            let words = TestRestUnit {
                context,
                fail,
                bits,
                unit,
            };
            self.emitter.instruction(slow::binaries::test_rest, words);
        }
        self.ensured = bits;
    }

    fn get_bits(&self, segment: MatchSegment, flags: Flags) -> Result<GetBits> {
        // No bit string has as many bits as the largest small integer, so a longer segment is not there either.
        let size = Term::small(segment.size.min(SMALL_MAX as u64) as i64);
        Ok(GetBits {
            context: self.context,
            size: Operand::constant(size),
            dest: self.emitter.source(segment.dest),
            fail: self.fail,
            live: segment.live,
            unit: segment.unit,
            flags: flags.bits().into(),
        })
    }

    /// Moves the position behind what was read.
    fn advance(&mut self) {
        let context = self.context;
        match std::mem::take(&mut self.peeked) {
            0 => (),
            bits => self
                .emitter
                .operation::<binaries::Advance>(Advance { context, bits }),
        }
    }

    /// An integer. In a row of them, those that are known to be there are taken from windows, and the position is moved
    /// once.
    fn integer(&mut self, segment: MatchSegment, after: &[MatchCommand]) -> Result {
        let flags = self.flags(segment.flags)?;
        let bits = self.get_bits(segment, flags)?;
        let width = segment.bits();
        let is_ensured = self.take(width);
        let kind = Window::of(width, flags).filter(|_| is_ensured);
        // Once the context is overwritten, its position cannot be moved.
        let is_in_row = self.peeked > 0 || matches!(after.first(), Some(MatchCommand::Integer(_)));
        let peeks = kind.is_some() && is_in_row && bits.dest != self.context;
        if !peeks {
            self.advance();
        }
        let Some(kind) = kind else {
            match Window::of(width, flags) {
                Some(_) => terms::get_integer(self.emitter, bits, width, flags),
                None => self.emitter.instruction(slow::binaries::get_integer, bits),
            }
            return Ok(());
        };
        if peeks {
            if self.window == 0 {
                self.open_window(width, after)?;
            }
            self.take_from_window(bits.dest, width, kind);
            return Ok(());
        }
        let (mask, last) = kind.mask_and_last(width);
        let window = ReadWindow {
            context: bits.context,
            dest: bits.dest,
            width,
            mask,
            last,
        };
        let emitter = &mut *self.emitter;
        match kind {
            Window::Little => emitter.operation::<binaries::ReadLittle>(window),
            Window::Signed => emitter.operation::<binaries::ReadSigned>(window),
            Window::Unsigned => emitter.operation::<binaries::ReadUnsigned>(window),
        }
        Ok(())
    }

    /// Reads an integer of this width, and those after it that are in the same row and fit into the window too.
    fn open_window(&mut self, width: u64, after: &[MatchCommand]) -> Result {
        let mut ensured = self.ensured;
        self.window = width;
        for command in after {
            let MatchCommand::Integer(segment) = *command else {
                break;
            };
            let width = segment.bits();
            let is_taken = Window::of(width, self.flags(segment.flags)?).is_some()
                && self.emitter.source(segment.dest) != self.context;
            if !is_taken || width > ensured || self.window + width > WINDOW_BITS {
                break;
            }
            ensured -= width;
            self.window += width;
        }
        let (context, bits) = (self.context, self.peeked + self.window);
        self.emitter
            .operation::<binaries::OpenWindow>(Advance { context, bits });
        Ok(())
    }

    fn take_from_window(&mut self, dest: Operand, width: u64, kind: Window) {
        self.peeked += width;
        self.window -= width;
        let shift = self.window;
        let emitter = &mut *self.emitter;
        if matches!(kind, Window::Unsigned) && width == 8 && shift % 8 == 0 {
            let index = shift / 8;
            emitter.operation::<binaries::TakeByte>(TakeByte { dest, index });
            return;
        }
        let (mask, last) = kind.mask_and_last(width);
        let words = TakeFromWindow {
            dest,
            shift,
            mask,
            last,
        };
        match kind {
            Window::Little => emitter.operation::<binaries::TakeLittle>(words),
            Window::Signed => emitter.operation::<binaries::TakeSigned>(words),
            Window::Unsigned => emitter.operation::<binaries::TakeUnsigned>(words),
        }
    }

    fn flags(&self, operand: FileOperand) -> Result<Flags> {
        let invalid = || bad(Opcode::BsMatch, "commands");
        let list = self.emitter.constant(operand).ok_or(invalid())?;
        let mut flags = 0;
        for flag in list::to_vec(list).ok_or(invalid())? {
            flags |= match flag {
                am::LITTLE => Flags::LITTLE.bits(),
                am::SIGNED => Flags::SIGNED.bits(),
                am::NATIVE => Flags::NATIVE,
                am::BIG | am::UNSIGNED => 0,
                _ => return Err(invalid()),
            };
        }
        Ok(Flags::new(flags))
    }

    /// Compares in halves what is too long for one instruction.
    fn equals(&mut self, bits: u64, value: u64) {
        if bits > WINDOW_BITS {
            let low = bits / 2;
            self.equals(bits - low, value >> low);
            self.equals(low, value & (u64::MAX >> (64 - low)));
            return;
        }
        self.take(bits);
        self.emitter.operation::<binaries::MatchBits>(MatchBits {
            context: self.context,
            fail: self.fail,
            width: bits,
            mask: u64::MAX >> (64 - bits),
            bits: value,
        });
    }
}

/// Whether what follows is one command that tests for exactly these bits before it changes anything.
fn tests_alone(after: &[MatchCommand], bits: u64) -> bool {
    match *after {
        [MatchCommand::Integer(segment) | MatchCommand::Binary(segment)] => segment.bits() == bits,
        [MatchCommand::Skip { bits: skipped }] => skipped == bits,
        [MatchCommand::Equals { bits: compared, .. }] => {
            compared == bits && compared <= WINDOW_BITS
        }
        _ => false,
    }
}
