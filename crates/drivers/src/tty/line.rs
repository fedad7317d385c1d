//! The line being edited, and its layout on the screen.
//!
//! The line is a row of cells; a character that the terminal does not show itself (a tab, a control character, one
//! that is not in its encoding) takes several cells, all but the first of them padding. Every change is made in the
//! row and sent to the screen as the characters after the change, followed by the cursor moves back. Columns are
//! counted as stock counts them: a character has the width that the C library gives it, or none if it gives none.

use super::terminfo::Capabilities;

/// One cell of the row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Cell {
    Char(u32),
    /// Shown as spaces up to the next multiple of 8.
    Tab,
    /// Begins an escape sequence for the terminal, which takes no columns.
    Escape,
    /// Shown as `^` and a letter.
    Control(u8),
    /// Shown as `\` and digits.
    Escaped(u32),
    /// Padding of the cell before it.
    Pad,
}

/// See the module.
pub(super) struct Line {
    cells: Vec<Cell>,
    /// The cell at the cursor.
    position: usize,
    columns: usize,
    utf8: bool,
    terminal: Capabilities,
    /// What is still to be sent to the terminal.
    output: Vec<u8>,
}

impl Line {
    pub(super) fn new(terminal: Capabilities) -> Line {
        Line {
            cells: Vec::new(),
            position: 0,
            columns: 80,
            utf8: true,
            terminal,
            output: Vec::new(),
        }
    }

    pub(super) fn set_columns(&mut self, columns: usize) {
        self.columns = columns.max(1);
    }

    pub(super) fn set_utf8(&mut self, utf8: bool) {
        self.utf8 = utf8;
    }

    pub(super) fn position(&self) -> usize {
        self.position
    }

    pub(super) fn take_output(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.output)
    }

    pub(super) fn beep(&mut self) {
        self.output.push(7);
    }

    /// Writes characters over those at the cursor.
    pub(super) fn put(&mut self, text: &[u8]) {
        let written = self.overwrite(text);
        self.show(self.position - written, self.position, false);
    }

    /// Inserts characters at the cursor.
    pub(super) fn insert(&mut self, text: &[u8]) {
        let tail = self.cells.split_off(self.position.min(self.cells.len()));
        let written = self.overwrite(text);
        self.cells.truncate(self.position);
        self.cells.extend(tail);
        let end = self.cells.len();
        self.show(self.position - written, end, false);
        self.move_cursor(end, self.position);
    }

    /// Removes characters after the cursor, or before it if the number is negative.
    pub(super) fn delete(&mut self, count: isize) {
        let other = self.step(count);
        let (start, end) = (self.position.min(other), self.position.max(other));
        if start == end {
            return;
        }
        let width = self.column(end) - self.column(start);
        if other < self.position {
            self.move_cursor(self.position, other);
        }
        self.cells.drain(start..end);
        self.position = start;
        let length = self.cells.len();
        self.show(start, length, false);
        self.output.extend(std::iter::repeat_n(b' ', width));
        if self.terminal.stays_at_margin
            && (self.column(length) + width).is_multiple_of(self.columns)
        {
            self.output.extend_from_slice(b" \x08");
        }
        self.move_cursor(length + width, start);
    }

    /// Moves the cursor by this many characters.
    pub(super) fn move_by(&mut self, count: isize) {
        let other = self.step(count);
        self.move_cursor(self.position, other);
        self.position = other;
    }

    /// The cell this many characters away from the cursor.
    fn step(&self, count: isize) -> usize {
        let is_pad = |place: usize| self.cells.get(place) == Some(&Cell::Pad);
        let mut place = self.position;
        for _ in 0..count.max(0) {
            if place >= self.cells.len() {
                break;
            }
            place += 1;
            while is_pad(place) {
                place += 1;
            }
        }
        for _ in count.min(0)..0 {
            if place == 0 {
                break;
            }
            place -= 1;
            while place > 0 && is_pad(place) {
                place -= 1;
            }
        }
        place
    }

    /// Writes cells at the cursor; returns how many were written since the last line end. What comes before that is
    /// shown already.
    fn overwrite(&mut self, text: &[u8]) -> usize {
        let mut start = self.position;
        for character in characters(text) {
            match character {
                0x0a | 0x0d => {
                    self.show(start, self.position, true);
                    self.output.push(b'\r');
                    if character == 0x0a {
                        self.output.push(b'\n');
                    }
                    self.cells.drain(..self.position.min(self.cells.len()));
                    self.position = 0;
                    start = 0;
                }
                0x09 => {
                    self.place(Cell::Tab);
                    while !self.position.is_multiple_of(8) {
                        self.place(Cell::Pad);
                    }
                }
                0x1b => self.place(Cell::Escape),
                0x20..=0x7e => self.place(Cell::Char(character)),
                // Latin-1 has nothing to show between 128 and 159.
                0x80.. if self.utf8 => self.place(Cell::Char(character)),
                0x80.. => {
                    self.place(Cell::Escaped(character));
                    for _ in 0..digits(character).len() {
                        self.place(Cell::Pad);
                    }
                }
                control => {
                    self.place(Cell::Control(control as u8));
                    self.place(Cell::Pad);
                }
            }
        }
        self.position - start
    }

    fn place(&mut self, cell: Cell) {
        match self.cells.get_mut(self.position) {
            Some(place) => *place = cell,
            None => self.cells.push(cell),
        }
        self.position += 1;
    }

    /// Sends cells to the screen. A cursor that would stay in the last column is moved to the next line, unless a
    /// line end follows.
    fn show(&mut self, start: usize, end: usize, line_end_follows: bool) {
        let mut last = vec![b' '];
        for place in start..end {
            match self.cells[place] {
                Cell::Char(character) => {
                    last = encoded(character, self.utf8);
                    self.output.extend_from_slice(&last);
                }
                Cell::Tab => {
                    let pads = &self.cells[place + 1..end];
                    let pads = pads.iter().take_while(|cell| **cell == Cell::Pad).count();
                    self.output.extend(std::iter::repeat_n(b' ', 1 + pads));
                    last = vec![b' '];
                }
                Cell::Escape => {
                    self.output.push(0x1b);
                    last = vec![0x1b];
                }
                Cell::Control(control) => {
                    let letter = if control == 0x7f {
                        b'?'
                    } else {
                        control | 0x40
                    };
                    self.output.extend_from_slice(&[b'^', letter]);
                    last = vec![letter];
                }
                Cell::Escaped(character) => {
                    let digits = digits(character);
                    self.output.push(b'\\');
                    self.output.extend_from_slice(digits.as_bytes());
                    last = vec![*digits.as_bytes().last().unwrap_or(&b' ')];
                }
                Cell::Pad => {}
            }
        }
        if !line_end_follows
            && self.terminal.stays_at_margin
            && end != 0
            && self.column(end).is_multiple_of(self.columns)
        {
            match end >= self.cells.len() {
                true => self.output.push(b' '),
                false => self.output.extend_from_slice(&last),
            }
            self.output.push(8);
        }
    }

    /// Moves the cursor on the screen from one cell to another.
    fn move_cursor(&mut self, from: usize, to: usize) {
        let (from, to) = (self.column(from), self.column(to));
        let (from_line, to_line) = (from / self.columns, to / self.columns);
        let (from_column, to_column) = (from % self.columns, to % self.columns);
        let Line {
            output, terminal, ..
        } = self;
        let mut again = |times: usize, bytes: &[u8]| {
            for _ in 0..times {
                output.extend_from_slice(bytes);
            }
        };
        again(to_line.saturating_sub(from_line), &terminal.down);
        again(from_line.saturating_sub(to_line), &terminal.up);
        again(to_column.saturating_sub(from_column), &terminal.right);
        again(from_column.saturating_sub(to_column), b"\x08");
    }

    /// Number of columns before a cell, which may be beyond the end.
    fn column(&self, place: usize) -> usize {
        let end = place.min(self.cells.len());
        let mut columns = place - end;
        let mut index = 0;
        while index < end {
            match self.cells[index] {
                Cell::Escape => index += escape_length(&self.cells[index..]),
                Cell::Char(character) => {
                    columns += sys::terminal::char_width(character);
                    index += 1;
                }
                _ => index += 1,
            }
        }
        columns
    }
}

/// Number of cells of an escape sequence that sets colours; of another one, as many as are known to belong to it.
fn escape_length(cells: &[Cell]) -> usize {
    let char_at = |index: usize| match cells.get(index) {
        Some(Cell::Char(character)) => char::from_u32(*character),
        _ => None,
    };
    if cells.len() <= 1 {
        return 1;
    }
    if char_at(1) != Some('[') {
        return 2;
    }
    let mut index = 2;
    while index < cells.len() && char_at(index).is_some_and(|c| c == ';' || c.is_ascii_digit()) {
        index += 1;
    }
    index + 1
}

/// The code points of UTF-8; invalid bytes stand for themselves.
fn characters(mut text: &[u8]) -> Vec<u32> {
    let mut found = Vec::new();
    while !text.is_empty() {
        let valid = match std::str::from_utf8(text) {
            Ok(all) => all,
            Err(error) => std::str::from_utf8(&text[..error.valid_up_to()]).unwrap_or_default(),
        };
        found.extend(valid.chars().map(u32::from));
        text = &text[valid.len()..];
        if let Some((byte, rest)) = text.split_first() {
            found.push(u32::from(*byte));
            text = rest;
        }
    }
    found
}

fn encoded(character: u32, utf8: bool) -> Vec<u8> {
    match char::from_u32(character) {
        Some(character) if utf8 => character.encode_utf8(&mut [0; 4]).as_bytes().to_vec(),
        _ => vec![character as u8],
    }
}

/// How a character that cannot be shown is written.
fn digits(character: u32) -> String {
    match character {
        0..0o1000 => format!("{character:03o}"),
        _ => format!("x{{{character:X}}}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(columns: usize) -> Line {
        let mut line = Line::new(Capabilities {
            up: b"<up>".to_vec(),
            down: b"<down>".to_vec(),
            right: b"<right>".to_vec(),
            stays_at_margin: true,
        });
        line.set_columns(columns);
        line
    }

    fn sent(line: &mut Line) -> String {
        String::from_utf8(line.take_output())
            .unwrap()
            .replace('\x08', "<left>")
    }

    #[test]
    fn characters_are_inserted_and_deleted_in_the_middle() {
        let mut line = line(80);
        line.put(b"> ");
        line.insert(b"ac");
        assert_eq!(sent(&mut line), "> ac");
        line.move_by(-1);
        line.insert(b"b");
        assert_eq!(sent(&mut line), "<left>bc<left>");
        line.delete(-1);
        assert_eq!(sent(&mut line), "<left>c <left><left>");
        line.delete(1);
        assert_eq!(sent(&mut line), " <left>");
        line.delete(5);
        assert_eq!(sent(&mut line), "");
        line.put(b"\nnext");
        assert_eq!(sent(&mut line), "\r\nnext");
    }

    #[test]
    fn a_full_line_goes_on_below() {
        let mut line = line(4);
        line.put(b"abcd");
        assert_eq!(sent(&mut line), "abcd <left>");
        line.put(b"e");
        line.move_by(-3);
        assert_eq!(sent(&mut line), "e<up><right>");
        line.put(b"\r\n");
        assert_eq!(sent(&mut line), "\r\r\n");
    }

    #[test]
    fn what_cannot_be_shown_is_told() {
        let mut line = line(80);
        line.put(b"a\tb\x07\x1b[1mc");
        assert_eq!(sent(&mut line), "a       b^G\x1b[1mc");
        line.move_by(-1);
        assert_eq!(line.cells[line.position], Cell::Char(u32::from('c')));
        line.put(b"\n");
        line.take_output();
        line.set_utf8(false);
        line.put("é€".as_bytes());
        // As stock: nothing here has a width, so the line seems to end at the margin.
        assert_eq!(sent(&mut line), "\\351\\x{20AC} <left>");
        line.move_by(-1);
        line.move_by(-1);
        assert_eq!(line.position, 0);
    }
}
