//! Rewrites the compiler's assembly of the stencils before it is assembled.
//!
//! - What leads to a slow path only moves to a section of its own, `NAME.cold`, which the loader places behind the
//!   function: the code that usually runs becomes contiguous, and falls through to the next instruction's.
//! - Each stencil gets a second form, `NAME.short`, whose registers are addressed by one byte instead of four: the
//!   compiler cannot know that nearly all offsets are that small.
//! - Loops within a stencil are not aligned: a copy starts at any address.
//! - A constant becomes part of the instruction that uses it. The compiler loads it into a register first, because a
//!   symbol's address could be too large. If it stays in the register, it is loaded as a number, not as an address
//!   relative to the code.
//! - The test for a small integer has three instructions instead of four.
//! - A test falls through to the next instruction, and jumps if it fails.
//! - Calls and returns of Erlang functions are call and return instructions, so that the processor predicts returns.
//!
//! This works on lines of AT&T syntax; whatever does not look as expected stays as it is. [`Rewrites`] counts what was
//! rewritten, so that a test (`tests/rewrites.rs`) notices when a compiler writes something else. Used by the build
//! script and by the tests.

use std::fmt::{self, Write};

/// Stands for an offset of one byte until the loader writes it.
pub(crate) const SHORT_PLACEHOLDER: u8 = 0x55;

/// How often the assembly was rewritten in each way.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Rewrites {
    /// Functions: each becomes the code of one stencil.
    pub functions: usize,
    /// Blocks that lead to a slow path and were moved away.
    pub cold_blocks: usize,
    /// Functions that got a short form.
    pub short_forms: usize,
    /// Operands with an offset of one byte in the short forms.
    pub short_offsets: usize,
    /// Constants that became part of the instruction that uses them.
    pub joined_constants: usize,
    /// Constants that stay in a register and are loaded as a number.
    pub absolute_constants: usize,
    /// Tests for small integers that lost an instruction.
    pub shorter_tests: usize,
    /// Tests that fall through to the next instruction.
    pub falling_tests: usize,
    /// Calls and returns of Erlang functions that are call and return instructions.
    pub paired_calls: usize,
}

impl fmt::Display for Rewrites {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "functions: {}", self.functions)?;
        writeln!(f, "cold blocks: {}", self.cold_blocks)?;
        writeln!(f, "short forms: {}", self.short_forms)?;
        writeln!(f, "short offsets: {}", self.short_offsets)?;
        writeln!(f, "joined constants: {}", self.joined_constants)?;
        writeln!(f, "absolute constants: {}", self.absolute_constants)?;
        writeln!(f, "shorter tests: {}", self.shorter_tests)?;
        writeln!(f, "falling tests: {}", self.falling_tests)?;
        writeln!(f, "paired calls: {}", self.paired_calls)
    }
}

/// Lines that run one after the other: only the first can be jumped to, and only the last may jump.
struct Block {
    label: Option<String>,
    lines: Vec<String>,
}

impl Block {
    fn new(label: Option<&str>) -> Block {
        Block {
            label: label.map(str::to_owned),
            lines: Vec::new(),
        }
    }
}

/// The assembly of all stencils, rewritten.
pub(crate) fn rewrite(assembly: &str) -> (String, Rewrites) {
    let (mut text, mut rewrites) = (String::new(), Rewrites::default());
    let mut lines = assembly.lines();
    while let Some(line) = lines.next() {
        match section_of_function(line) {
            Some(section) => {
                let body = lines
                    .by_ref()
                    .take_while(|line| !line.starts_with("\t.cfi_endproc"));
                let body = body.collect::<Vec<_>>();
                function(&mut text, section, &body, &mut rewrites);
            }
            None if line.starts_with("\t.file") => {}
            None => writeln!(text, "{line}").unwrap(),
        }
    }
    (text, rewrites)
}

/// The name in a line that starts the section of a function.
fn section_of_function(line: &str) -> Option<&str> {
    let (name, _) = line.strip_prefix("\t.section\t\"")?.split_once('"')?;
    name.starts_with(".text.").then_some(name)
}

/// Writes the sections of a function.
fn function(text: &mut String, section: &str, lines: &[&str], rewrites: &mut Rewrites) {
    let (mut symbol, mut blocks) = ("", vec![Block::new(None)]);
    for line in lines {
        if let Some(label) = line.strip_suffix(':') {
            match label.starts_with(".L") {
                true if label.starts_with(".Lfunc") => {}
                true => blocks.push(Block::new(Some(label))),
                false => symbol = label,
            }
        } else if !line.starts_with("\t.") {
            let line = line.split("\t#").next().unwrap_or(line).trim();
            let block = blocks.last_mut().expect("there is a first block");
            block.lines.push(line.to_owned());
            if line.starts_with('j') {
                blocks.push(Block::new(None));
            }
        }
    }
    // Without what a final jump has opened.
    blocks.retain(|block| block.label.is_some() || !block.lines.is_empty());
    // The first block is where the function starts; of the others, what is cold needs a label.
    for (number, block) in blocks.iter_mut().enumerate().skip(1) {
        if is_cold(block) {
            block
                .label
                .get_or_insert_with(|| format!(".LBB{symbol}_{number}"));
        }
    }
    rewrites.functions += 1;
    rewrites.joined_constants += join_constants(&mut blocks);
    rewrites.absolute_constants += make_constants_absolute(&mut blocks);
    rewrites.shorter_tests += shorten_tests(&mut blocks);
    rewrites.cold_blocks += blocks.iter().skip(1).filter(|block| is_cold(block)).count();
    let (mut hot, mut cold) = split(blocks);
    rewrites.falling_tests += usize::from(fall_through(&mut hot));
    rewrites.paired_calls += usize::from(pair_calls(symbol, &mut hot, &mut cold));
    let mut write_section = |name: &str, lines: &[String]| {
        writeln!(text, "\t.section\t\"{section}{name}\",\"ax\",@progbits").unwrap();
        for line in lines {
            writeln!(text, "{line}").unwrap();
        }
    };
    let mut labels = 0;
    let mut shorter = |lines: &[String]| -> Vec<String> {
        lines
            .iter()
            .flat_map(|line| short(line, section, &mut labels))
            .collect()
    };
    let (short_hot, short_cold) = (shorter(&hot), shorter(&cold));
    rewrites.short_offsets += labels;
    rewrites.short_forms += usize::from(labels > 0);
    write_section("", &[format!("{symbol}:")]);
    write_section("", &hot);
    write_section(".cold", &cold);
    if labels > 0 {
        write_section(".short", &short_hot);
        write_section(".short.cold", &short_cold);
    }
}

/// Whether a block leads to a slow path, whose address is in a word that has a name.
fn is_cold(block: &Block) -> bool {
    let loads_slow_path = |line: &String| {
        let name = line
            .strip_prefix("movq\t")
            .and_then(|rest| rest.split_once("(%rip), %"));
        name.is_some_and(|(name, _)| !name.starts_with("RECORD") && !name.starts_with("HOLE"))
    };
    let jumps = block
        .lines
        .last()
        .is_some_and(|line| line.starts_with("jmpq\t*%"));
    jumps && block.lines.iter().any(loads_slow_path)
}

/// The lines of a function that stay together, and those that lead to slow paths.
fn split(blocks: Vec<Block>) -> (Vec<String>, Vec<String>) {
    let (mut hot, mut cold) = (Vec::<String>::new(), Vec::new());
    // The label of a cold block into which the code before it falls through.
    let mut falls_into: Option<String> = None;
    for (number, block) in blocks.into_iter().enumerate() {
        let label = block.label.as_ref().map(|label| format!("{label}:"));
        if number > 0 && is_cold(&block) {
            if !hot.last().is_some_and(|line| line.starts_with("jmp")) {
                falls_into = falls_into.or(block.label);
            }
            cold.extend(label);
            cold.extend(block.lines);
            continue;
        }
        if let Some(cold) = falls_into.take() {
            bypass(&mut hot, &cold, block.label.as_deref());
        }
        hot.extend(label);
        hot.extend(block.lines);
    }
    if let Some(cold) = falls_into {
        bypass(&mut hot, &cold, None);
    }
    (hot, cold)
}

/// Completes code that fell through into a cold block: `next` is the label of what follows now.
fn bypass(hot: &mut Vec<String>, cold: &str, next: Option<&str>) {
    let last = hot.last().and_then(|line| line.split_once('\t'));
    let inverse = last.and_then(|(jump, target)| Some((inverse(jump)?, target.to_owned())));
    match inverse {
        Some((jump, target)) if Some(target.as_str()) == next => {
            hot.pop();
            hot.push(format!("{jump}\t{cold}"));
        }
        Some((jump, target)) if target == "CONT" || target == "PASS" => {
            hot.pop();
            hot.extend([format!("{jump}\t{cold}"), format!("jmp\t{target}")]);
        }
        _ => hot.push(format!("jmp\t{cold}")),
    }
}

/// Makes calls and returns of Erlang functions a pair for the processor (`slow/pairs.rs` says why). What a call of a
/// function in the same module puts on the native stack is dropped by the code before the function's entry; elsewhere
/// there is no such code, so the stencil's cold part drops it. Returns whether it was a call or a return.
fn pair_calls(symbol: &str, hot: &mut Vec<String>, cold: &mut Vec<String>) -> bool {
    let is = |name: &&str| symbol.contains(&format!("calls..{name}$u20$"));
    if RETURNS.iter().any(is)
        && let [.., load, jump] = &mut hot[..]
    {
        assert_eq!(
            (load.as_str(), jump.as_str()),
            ("movq\t(%r9), %rax", "jmpq\t*%rax")
        );
        *load = "pushq\t(%r9)".to_owned();
        *jump = "retq".to_owned();
        return true;
    }
    if CALLS.iter().any(is)
        && let Some(jump) = hot.pop()
    {
        if let Some(target) = jump.strip_prefix("jmp\tTARGET_") {
            hot.push(format!("callq\tTARGET_{target}"));
            return true;
        }
        assert_eq!(jump, "jmpq\t*%rax");
        let label = format!(".LBB{symbol}_call");
        hot.push(format!("callq\t{label}"));
        cold.extend([format!("{label}:"), "addq\t$8, %rsp".to_owned(), jump]);
        return true;
    }
    false
}

/// Operations that return, and those that push a return address and then call.
const RETURNS: [&str; 4] = [
    "Return",
    "DeallocateReturn",
    "MoveReturn",
    "MoveDeallocateReturn",
];
const CALLS: [&str; 4] = ["Call", "MoveCall", "CallExport", "CallFun"];

/// Lets a stencil that ends in a jump to the next instruction or else to a label fall through to the former. Returns
/// whether it is one.
fn fall_through(hot: &mut [String]) -> bool {
    let [.., test, last] = hot else {
        return false;
    };
    let (Some((jump, "CONT")), Some(target)) = (test.split_once('\t'), last.strip_prefix("jmp\t"))
    else {
        return false;
    };
    let Some(jump) = inverse(jump) else {
        return false;
    };
    *test = format!("{jump}\t{target}");
    *last = "jmp\tCONT".to_owned();
    true
}

/// Makes constants that are loaded into a register, used once and then forgotten, operands of what uses them. Returns
/// how many.
fn join_constants(blocks: &mut [Block]) -> usize {
    let mut count = 0;
    for block in 0..blocks.len() {
        let mut line = 0;
        while line < blocks[block].lines.len() {
            match joined(blocks, block, line) {
                Some((user, text)) => {
                    blocks[block].lines[user] = text;
                    blocks[block].lines.remove(line);
                    count += 1;
                }
                None => line += 1,
            }
        }
    }
    count
}

/// Makes the constants that stay in registers part of the instruction that loads them: a number does not fit where the
/// compiler wrote an address relative to the code. Both instructions are equally long. Returns how many.
fn make_constants_absolute(blocks: &mut [Block]) -> usize {
    let mut count = 0;
    for line in blocks.iter_mut().flat_map(|block| &mut block.lines) {
        let relative = line.strip_prefix("leaq\t").and_then(|operands| {
            let (constant, register) = operands.split_once("(%rip), ")?;
            let is_word = constant.starts_with("HOLE_");
            is_word.then(|| format!("movq\t${constant}, {register}"))
        });
        if let Some(absolute) = relative {
            *line = absolute;
            count += 1;
        }
    }
    count
}

/// Replaces the inversion by which the compiler tests whether the four lowest bits of a register are all set: they are
/// if adding one clears them, which needs no copy of the register before. Returns how many.
fn shorten_tests(blocks: &mut [Block]) -> usize {
    let mut count = 0;
    for block in 0..blocks.len() {
        for line in 0..blocks[block].lines.len() {
            if let Some(sum) = shorter_test(blocks, block, line) {
                blocks[block].lines[line] = sum;
                blocks[block].lines.remove(line + 1);
                count += 1;
            }
        }
    }
    count
}

/// What replaces the copy and the inversion that begin in this line, if the register is not used behind the test.
fn shorter_test(blocks: &[Block], block: usize, line: usize) -> Option<String> {
    let [copy, invert, test, ..] = blocks[block].lines.get(line..)? else {
        return None;
    };
    let (from, to) = copy.strip_prefix("movl\t")?.split_once(", ")?;
    let (from, of_to) = (names(from)?, names(to)?);
    let tests = *invert == format!("notl\t{to}") && *test == format!("testb\t$15, {}", of_to[3]);
    (tests && is_dead(blocks, (block, line + 3), &of_to, &mut Vec::new()))
        .then(|| format!("leal\t1({}), {to}", from[0]))
}

/// The place and the new text of the instruction that uses the constant which this line loads.
fn joined(blocks: &[Block], block: usize, line: usize) -> Option<(usize, String)> {
    let lines = &blocks[block].lines;
    let (constant, register) = loaded_constant(&lines[line])?;
    let names = names(register)?;
    let user = (line + 1..lines.len()).find(|&user| mentions(&lines[user], &names))?;
    if lines[line + 1..user]
        .iter()
        .any(|line| line.starts_with('j'))
    {
        return None;
    }
    let (mnemonic, operands) = lines[user].split_once('\t')?;
    let (source, dest) = operands.split_once(", ")?;
    // A product goes to any register, so this needs none that holds the constant.
    if mnemonic == "imulq" && dest == names[0] && !mentions(source, &names) {
        return Some((user, format!("imulq\t${constant}, {source}, {dest}")));
    }
    let takes_constant = ["addq", "subq", "cmpq", "andq", "orq", "xorq"].contains(&mnemonic);
    let joins = takes_constant && source == names[0] && !mentions(dest, &names);
    if !joins || !is_dead(blocks, (block, user + 1), &names, &mut Vec::new()) {
        return None;
    }
    Some((user, format!("{mnemonic}\t${constant}, {dest}")))
}

/// The symbol and the register of a line that loads an operand word as a constant.
fn loaded_constant(line: &str) -> Option<(&str, &str)> {
    let loaded = match line.strip_prefix("leaq\t") {
        Some(rest) => rest.split_once("(%rip), "),
        None => line.strip_prefix("movl\t$")?.split_once(", "),
    };
    loaded.filter(|(constant, _)| constant.starts_with("HOLE_"))
}

/// The names of a register that holds no machine register, the longest first.
fn names(register: &str) -> Option<[String; 4]> {
    match register {
        "%rax" | "%eax" => Some(["%rax", "%eax", "%ax", "%al"].map(str::to_owned)),
        _ => {
            let number = register.strip_prefix("%r")?.trim_end_matches('d');
            ["9", "10", "11"]
                .contains(&number)
                .then(|| ["", "d", "w", "b"].map(|width| format!("%r{number}{width}")))
        }
    }
}

/// Whether a line names a register.
fn mentions(line: &str, names: &[String; 4]) -> bool {
    // The names of two of these registers never begin alike.
    names.iter().any(|name| line.contains(name.as_str()))
}

/// Whether what a register holds is not used from a place on, until the stencil ends.
fn is_dead(
    blocks: &[Block],
    (block, from): (usize, usize),
    names: &[String; 4],
    seen: &mut Vec<usize>,
) -> bool {
    for line in &blocks[block].lines[from..] {
        if mentions(line, names) {
            let overwritten = line.rsplit_once(", ").is_some_and(|(rest, dest)| {
                line.starts_with("mov")
                    && names[..2].contains(&dest.to_owned())
                    && !mentions(rest, names)
            });
            return overwritten;
        }
        if let Some((jump, target)) = line.split_once('\t')
            && jump.starts_with('j')
        {
            // What is passed on is in a register.
            if target == "PASS" && names[0] == "%r9" {
                return false;
            }
            let label = blocks
                .iter()
                .position(|block| block.label.as_deref() == Some(target));
            let dead_there = match label {
                Some(block) if seen.contains(&block) => true,
                Some(block) => {
                    seen.push(block);
                    is_dead(blocks, (block, 0), names, seen)
                }
                None => true,
            };
            if !dead_there || jump.starts_with("jmp") {
                return dead_there;
            }
        }
    }
    block + 1 < blocks.len() && is_dead(blocks, (block + 1, 0), names, seen)
}

/// The conditional jump that is taken when this one is not.
fn inverse(jump: &str) -> Option<&'static str> {
    const PAIRS: [(&str, &str); 8] = [
        ("jo", "jno"),
        ("jb", "jae"),
        ("je", "jne"),
        ("jbe", "ja"),
        ("js", "jns"),
        ("jp", "jnp"),
        ("jl", "jge"),
        ("jle", "jg"),
    ];
    PAIRS.iter().find_map(|&(a, b)| match jump {
        jump if jump == a => Some(b),
        jump if jump == b => Some(a),
        _ => None,
    })
}

/// A line of the short form: an operand `HOLE_0-4(%rsi)` becomes an offset of one byte, with a relocation.
fn short(line: &str, section: &str, labels: &mut usize) -> Vec<String> {
    // Other labels than those of the long form.
    let line = line.replace(".LBB", ".LSB");
    let Some((before, hole, after)) = memory_operand(&line) else {
        return vec![line];
    };
    let Some(behind) = bytes_behind_offset(before) else {
        return vec![line];
    };
    let label = format!(
        ".Lshort{}_{labels}",
        section.replace(|c: char| !c.is_ascii_alphanumeric(), "_")
    );
    *labels += 1;
    vec![
        format!("{before}{SHORT_PLACEHOLDER}{after}"),
        format!("{label}:"),
        format!("\t.reloc {label}-{}, R_X86_64_8, {hole}", behind + 1),
    ]
}

/// Splits a line around the offset of an operand that is a hole and one register.
fn memory_operand(line: &str) -> Option<(&str, &str, &str)> {
    let (start, _) = line.match_indices("HOLE_").find(|(start, _)| {
        let hole = &line[*start..];
        hole.find(['(', ',', ' '])
            .is_some_and(|end| hole[end..].starts_with("(%"))
    })?;
    let end = start + line[start..].find('(')?;
    let (register, _) = line[end + 1..].split_once(')')?;
    let simple = !register.contains(',') && !["%rip", "%rsp", "%r12"].contains(&register);
    simple.then(|| (&line[..start], &line[start..end], &line[end..]))
}

/// Number of bytes that an instruction has behind the offset of its operand in memory: those of a constant. `None` if
/// that is not certain.
fn bytes_behind_offset(before: &str) -> Option<usize> {
    let (mnemonic, operands) = before.split_once('\t')?;
    let Some(constant) = operands.trim_start().strip_prefix('$') else {
        return Some(0);
    };
    let constant = constant.split(',').next()?;
    let width = mnemonic.chars().last()?;
    let narrow = constant
        .parse::<i64>()
        .is_ok_and(|value| i8::try_from(value).is_ok());
    match (mnemonic.trim_end_matches(width), width) {
        ("add" | "sub" | "and" | "or" | "xor" | "cmp" | "mov" | "test", 'b') => Some(1),
        ("add" | "sub" | "and" | "or" | "xor" | "cmp", 'l' | 'q') if narrow => Some(1),
        ("add" | "sub" | "and" | "or" | "xor" | "cmp" | "mov" | "test", 'l' | 'q') => Some(4),
        _ => None,
    }
}
