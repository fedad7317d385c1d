//! Strings with parameters: the language of `terminfo(5)`, and the delays that stand in strings.
//!
//! Plain functions; any thread may call.

use super::without_padding;

/// As many as strings can have.
const PARAMETERS: usize = 9;

/// The text that a string of a description stands for, with these parameters (0 for those that are missing), and
/// without delays. What is not understood stands for nothing.
#[must_use]
pub fn with_parameters(text: &[u8], given: &[i32]) -> Vec<u8> {
    let text = without_padding(text);
    let mut parameters = [0; PARAMETERS];
    for (parameter, &value) in parameters.iter_mut().zip(given) {
        *parameter = value;
    }
    let mut machine = Machine {
        rest: &text,
        parameters,
        stack: Vec::new(),
        variables: [0; 128],
        result: Vec::with_capacity(text.len()),
    };
    while let Some(byte) = machine.take() {
        match byte {
            b'%' => machine.operation(),
            byte => machine.result.push(byte),
        }
    }
    machine.result
}

struct Machine<'a> {
    rest: &'a [u8],
    parameters: [i32; PARAMETERS],
    stack: Vec<i32>,
    /// By the letter of their name.
    variables: [i32; 128],
    result: Vec<u8>,
}

impl Machine<'_> {
    fn take(&mut self) -> Option<u8> {
        let (&first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }

    fn pop(&mut self) -> i32 {
        self.stack.pop().unwrap_or(0)
    }

    fn binary(&mut self, compute: impl Fn(i32, i32) -> i32) {
        let right = self.pop();
        let left = self.pop();
        self.stack.push(compute(left, right));
    }

    fn operation(&mut self) {
        let Some(operation) = self.take() else {
            return;
        };
        match operation {
            b'%' => self.result.push(b'%'),
            b'i' => {
                for parameter in &mut self.parameters[..2] {
                    *parameter = parameter.wrapping_add(1);
                }
            }
            b'c' => {
                let character = self.pop();
                self.result.push(character as u8);
            }
            b'p' => {
                let which = self.take().unwrap_or(0).wrapping_sub(b'1');
                let value = self.parameters.get(usize::from(which)).copied();
                self.stack.push(value.unwrap_or(0));
            }
            b'P' | b'g' => {
                let name = usize::from(self.take().unwrap_or(0) & 0x7f);
                match operation {
                    b'P' => self.variables[name] = self.pop(),
                    _ => self.stack.push(self.variables[name]),
                }
            }
            b'\'' => {
                let character = self.take().unwrap_or(0);
                self.take();
                self.stack.push(character.into());
            }
            b'{' => {
                let mut number = 0i32;
                while let Some(digit) = self.take().filter(u8::is_ascii_digit) {
                    number = number
                        .wrapping_mul(10)
                        .wrapping_add(i32::from(digit - b'0'));
                }
                self.stack.push(number);
            }
            b'+' => self.binary(i32::wrapping_add),
            b'-' => self.binary(i32::wrapping_sub),
            b'*' => self.binary(i32::wrapping_mul),
            b'/' => self.binary(|a, b| a.checked_div(b).unwrap_or(0)),
            b'm' => self.binary(|a, b| a.checked_rem(b).unwrap_or(0)),
            b'&' => self.binary(|a, b| a & b),
            b'|' => self.binary(|a, b| a | b),
            b'^' => self.binary(|a, b| a ^ b),
            b'=' => self.binary(|a, b| i32::from(a == b)),
            b'<' => self.binary(|a, b| i32::from(a < b)),
            b'>' => self.binary(|a, b| i32::from(a > b)),
            b'A' => self.binary(|a, b| i32::from(a != 0 && b != 0)),
            b'O' => self.binary(|a, b| i32::from(a != 0 || b != 0)),
            b'!' => {
                let value = self.pop();
                self.stack.push(i32::from(value == 0));
            }
            b'~' => {
                let value = self.pop();
                self.stack.push(!value);
            }
            b't' if self.pop() == 0 => self.skip(true),
            // Reached at the end of what was done: what stands instead is left out.
            b'e' => self.skip(false),
            b't' | b'?' | b';' => {}
            other => self.number(other),
        }
    }

    /// Skips to the end of a condition, or to what is done instead, if that counts.
    fn skip(&mut self, to_else: bool) {
        let mut depth = 0;
        while let Some(byte) = self.take() {
            if byte != b'%' {
                continue;
            }
            match self.take() {
                Some(b'?') => depth += 1,
                Some(b';') if depth == 0 => return,
                Some(b';') => depth -= 1,
                Some(b'e') if depth == 0 && to_else => return,
                _ => {}
            }
        }
    }

    /// A number in a form as `printf` has it: flags behind a colon, a width, a precision.
    fn number(&mut self, first: u8) {
        let mut next = Some(first);
        let (mut left, mut sign, mut alternate, mut zeros) = (false, None, false, false);
        while let Some(byte) = next {
            match byte {
                b':' => {}
                b'-' => left = true,
                b'+' => sign = Some('+'),
                b' ' => sign = Some(' '),
                b'#' => alternate = true,
                b'0' => zeros = true,
                _ => break,
            }
            next = self.take();
        }
        let digits = |machine: &mut Self, next: &mut Option<u8>| {
            let mut number = 0usize;
            while let Some(digit) = next.filter(u8::is_ascii_digit) {
                number = (number * 10 + usize::from(digit - b'0')).min(MOST_WIDE);
                *next = machine.take();
            }
            number
        };
        let width = digits(self, &mut next);
        let mut precision = None;
        if next == Some(b'.') {
            next = self.take();
            precision = Some(digits(self, &mut next));
        }
        let value = self.pop();
        let (prefix, text) = match next {
            Some(b'd') => ("", value.unsigned_abs().to_string()),
            Some(b'o') => ("0", format!("{value:o}")),
            Some(b'x') => ("0x", format!("{value:x}")),
            Some(b'X') => ("0X", format!("{value:X}")),
            _ => return,
        };
        let mut head = String::new();
        if next == Some(b'd') {
            if value < 0 {
                head.push('-');
            } else {
                head.extend(sign);
            }
        } else if alternate {
            head.push_str(prefix);
        }
        let least = match precision {
            Some(precision) => precision,
            None if zeros && !left => width.saturating_sub(head.len()),
            None => 0,
        };
        let number = format!("{head}{text:0>least$}");
        let number = match left {
            true => format!("{number:<width$}"),
            false => format!("{number:>width$}"),
        };
        self.result.extend_from_slice(number.as_bytes());
    }
}

/// Numbers are not made wider than this.
const MOST_WIDE: usize = 1_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_counted_from_one_where_asked() {
        assert_eq!(with_parameters(b"\x1b[%p1%d@", &[5]), b"\x1b[5@");
        assert_eq!(with_parameters(b"%i%p1%d;%p2%dR$<5>", &[7, 5]), b"8;6R");
        assert_eq!(with_parameters(b"100%%", &[]), b"100%");
    }

    #[test]
    fn conditions_choose_what_is_written() {
        let colour = b"\x1b[%?%p1%{8}%<%t3%p1%d%e%p1%{16}%<%t9%p1%{8}%-%d%e38;5;%p1%d%;m";
        assert_eq!(with_parameters(colour, &[3]), b"\x1b[33m");
        assert_eq!(with_parameters(colour, &[9]), b"\x1b[91m");
        assert_eq!(with_parameters(colour, &[200]), b"\x1b[38;5;200m");
    }

    #[test]
    fn numbers_have_forms() {
        assert_eq!(
            with_parameters(b"%p1%02x|%p1%:-5d|%p1%3.3d", &[9]),
            b"09|9    |009"
        );
        assert_eq!(with_parameters(b"%'A'%c%p1%{1}%+%d", &[9]), b"A10");
    }
}
