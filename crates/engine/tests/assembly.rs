//! The rewriting of the stencils' assembly: what moves away, what becomes shorter, and what stays as it is.

#[path = "../build/assembly.rs"]
#[allow(dead_code)]
mod assembly;

/// The sections that a function with these lines becomes, each as its name and its lines, without those of `.reloc`.
fn sections(lines: &str) -> Vec<(String, Vec<String>)> {
    let lines = lines.trim().replace("\n    ", "\n\t");
    let text = format!(
        "\t.section\t\".text.f\",\"ax\",@progbits\n\t.p2align\t4\nf:\n\t.cfi_startproc\n\t{lines}\n.Lfunc_end0:\n\
         \t.cfi_endproc\n\t.section\t.data\n"
    );
    let mut sections: Vec<(String, Vec<String>)> = Vec::new();
    for line in assembly::rewrite(&text).0.lines() {
        let section = line.strip_prefix("\t.section\t\"");
        match section.and_then(|line| line.split_once('"')) {
            Some((name, _)) => {
                if sections.last().is_none_or(|(last, _)| last != name) {
                    sections.push((name.to_owned(), Vec::new()));
                }
            }
            None if line.ends_with(".data") => {}
            None => sections.last_mut().unwrap().1.push(line.to_owned()),
        }
    }
    sections
}

#[track_caller]
fn check(lines: &str, name: &str, expected: &[&str]) {
    let sections = sections(lines);
    let found = sections.iter().find(|(section, _)| section == name);
    let found = found.map(|(_, lines)| lines.clone()).unwrap_or_default();
    assert_eq!(found, expected, "{sections:#?}");
}

const SLOW: &str = "movq\tadd(%rip), %rax\n    movl\t$RECORD, %r9d\n    jmpq\t*%rax";

#[test]
fn slow_paths_move_away() {
    let lines = format!("jne\t.LBB0_1\n    jmp\tCONT\n.LBB0_1:\n    {SLOW}");
    check(&lines, ".text.f", &["f:", "jne\t.LBB0_1", "jmp\tCONT"]);
    let slow = [
        ".LBB0_1:",
        "movq\tadd(%rip), %rax",
        "movl\t$RECORD, %r9d",
        "jmpq\t*%rax",
    ];
    check(&lines, ".text.f.cold", &slow);
}

#[test]
fn code_that_fell_into_a_slow_path_jumps_there() {
    let over = format!("jno\t.LBB0_2\n.LBB0_1:\n    {SLOW}\n.LBB0_2:\n    jmp\tCONT");
    check(
        &over,
        ".text.f",
        &["f:", "jo\t.LBB0_1", ".LBB0_2:", "jmp\tCONT"],
    );
    let next = format!("jae\tCONT\n.LBB0_1:\n    {SLOW}");
    check(&next, ".text.f", &["f:", "jb\t.LBB0_1", "jmp\tCONT"]);
    let elsewhere = format!("je\tTARGET_0\n.LBB0_1:\n    {SLOW}\n.LBB0_2:\n    jmp\tCONT");
    check(
        &elsewhere,
        ".text.f",
        &[
            "f:",
            "je\tTARGET_0",
            "jmp\t.LBB0_1",
            ".LBB0_2:",
            "jmp\tCONT",
        ],
    );
}

#[test]
fn only_the_end_of_a_block_moves() {
    let lines = format!(
        "jbe\t.LBB0_1\n    jmp\tTARGET_0\n.LBB0_1:\n    incq\t%rax\n    jno\tCONT\n    {SLOW}"
    );
    let hot = [
        "f:",
        "jbe\t.LBB0_1",
        "jmp\tTARGET_0",
        ".LBB0_1:",
        "incq\t%rax",
        "jo\t.LBBf_3",
        "jmp\tCONT",
    ];
    check(&lines, ".text.f", &hot);
}

#[test]
fn a_function_that_is_a_slow_path_stays() {
    let sections = sections(SLOW);
    assert_eq!(sections.len(), 2);
    assert_eq!(sections[0].1.len(), 4);
    assert!(sections[1].1.is_empty());
}

#[test]
fn jumps_through_words_stay() {
    let lines =
        "jne\t.LBB0_1\n    jmp\tCONT\n.LBB0_1:\n    movq\tRECORD+8(%rip), %rax\n    jmpq\t*%rax";
    check(lines, ".text.f.cold", &[]);
}

#[test]
fn constants_join_what_uses_them() {
    let joined = |lines: &str, expected: &[&str]| {
        let expected = [&["f:"], expected, &["jmp\tCONT"]].concat();
        check(&format!("{lines}\n    jmp\tCONT"), ".text.f", &expected);
    };
    joined(
        "leaq\tHOLE_1-15(%rip), %r9\n    addq\t%r9, %rax",
        &["addq\t$HOLE_1-15, %rax"],
    );
    joined(
        "movl\t$HOLE_0, %eax\n    incq\t%rcx\n    subq\t%rax, %rsi\n    movq\t(%rdi), %rax",
        &["incq\t%rcx", "subq\t$HOLE_0, %rsi", "movq\t(%rdi), %rax"],
    );
    joined(
        "movl\t$HOLE_1, %r9d\n    imulq\t%rax, %r9\n    movq\t%r9, (%rdi)",
        &["imulq\t$HOLE_1, %rax, %r9", "movq\t%r9, (%rdi)"],
    );
    // It stays in the register, as a number.
    joined(
        "leaq\tHOLE_1-15(%rip), %r9\n    addq\t%rax, %r9",
        &["movq\t$HOLE_1-15, %r9", "addq\t%rax, %r9"],
    );
    for stays in [
        // Used again, here or behind a jump.
        vec![
            "movl\t$HOLE_0, %eax",
            "subq\t%rax, %rsi",
            "movq\t%rax, (%rdi)",
        ],
        vec![
            "movl\t$HOLE_0, %eax",
            "subq\t%rax, %rsi",
            "je\t.LBB0_2",
            "movq\t(%rdi), %rax",
            ".LBB0_2:",
            "addq\t%rax, %rdx",
        ],
        // Changed, or part of an address.
        vec!["movl\t$HOLE_0, %eax", "addq\t%rsi, %rax"],
        vec!["movl\t$HOLE_0, %eax", "addq\t(%rsi,%rax), %rdx"],
        vec!["leaq\tRECORD(%rip), %r9", "addq\t%r9, %rax"],
    ] {
        joined(&stays.join("\n    ").replace("    .L", ".L"), &stays);
    }
}

#[test]
fn tests_of_tags_become_shorter() {
    let slow = SLOW.replace("\n    ", "\n");
    let test = |rest: &str| {
        format!("movl\t%eax, %r10d\n    notl\t%r10d\n    testb\t$15, %r10b\n    jne\t.LBB0_1\n    {rest}jmp\tCONT\n.LBB0_1:\n    {slow}")
            .replace("\nmov", "\n    mov")
            .replace("\njmpq", "\n    jmpq")
    };
    let shorter = [
        "f:",
        "leal\t1(%rax), %r10d",
        "testb\t$15, %r10b",
        "jne\t.LBB0_1",
        "jmp\tCONT",
    ];
    check(&test(""), ".text.f", &shorter);
    // What was inverted is used again.
    let used = test("addq\t%r10, %rax\n    ");
    let longer = [
        "f:",
        "movl\t%eax, %r10d",
        "notl\t%r10d",
        "testb\t$15, %r10b",
        "jne\t.LBB0_1",
        "addq\t%r10, %rax",
        "jmp\tCONT",
    ];
    check(&used, ".text.f", &longer);
}

#[test]
fn what_is_passed_on_is_used() {
    let lines = "leaq\tHOLE_1-15(%rip), %r9\n    addq\t%r9, %rax\n    jmp\tPASS";
    check(
        lines,
        ".text.f",
        &[
            "f:",
            "movq\t$HOLE_1-15, %r9",
            "addq\t%r9, %rax",
            "jmp\tPASS",
        ],
    );
}

#[test]
fn calls_and_returns_become_pairs() {
    let rewritten = |operation: &str, lines: &str| {
        let text = format!(
            "\t.section\t\".text.f\",\"ax\",@progbits\nx..calls..{operation}$u20$as:\n\t.cfi_startproc\n{lines}\n\t.cfi_endproc\n"
        );
        assembly::rewrite(&text).0
    };
    let tail = "\tmovq\t(%r9), %rax\n\tjmpq\t*%rax";
    assert!(rewritten("MoveReturn", tail).contains("\npushq\t(%r9)\nretq\n"));
    assert!(!rewritten("CallExportOnly", tail).contains("callq"));
    let far = rewritten("CallExport", tail);
    let call = far.split_once("\ncallq\t.LBB").expect("a call").1;
    assert!(call.contains("_call:\naddq\t$8, %rsp\njmpq\t*%rax\n"));
    assert!(rewritten("Call", "\tjmp\tTARGET_0").contains("\ncallq\tTARGET_0\n"));
}

#[test]
fn tests_fall_through() {
    let test = ["f:", "jge\tTARGET_2", "jmp\tCONT"];
    check("jl\tCONT\n    jmp\tTARGET_2", ".text.f", &test);
}

#[test]
fn registers_get_short_offsets() {
    let short = |line: &str| -> Vec<String> {
        let sections = sections(&format!("{line}\n    jmp\tCONT"));
        let short = sections.iter().find(|(name, _)| name == ".text.f.short");
        short
            .map(|(_, lines)| lines[..3].to_vec())
            .unwrap_or_default()
    };
    let with_relocation = |line: &str, behind: usize, hole: &str| {
        vec![
            line.to_owned(),
            ".Lshort_text_f_0:".to_owned(),
            format!("\t.reloc .Lshort_text_f_0-{behind}, R_X86_64_8, {hole}"),
        ]
    };
    assert_eq!(
        short("movq\tHOLE_0-4(%rsi), %rax"),
        with_relocation("movq\t85(%rsi), %rax", 1, "HOLE_0-4")
    );
    assert_eq!(
        short("cmpq\t$HOLE_1, HOLE_0(%rdi)"),
        with_relocation("cmpq\t$HOLE_1, 85(%rdi)", 5, "HOLE_0")
    );
    assert_eq!(
        short("cmpq\t$59, HOLE_0(%rdi)"),
        with_relocation("cmpq\t$59, 85(%rdi)", 2, "HOLE_0")
    );
    assert_eq!(
        short("movq\t$59, HOLE_0(%rdi)"),
        with_relocation("movq\t$59, 85(%rdi)", 5, "HOLE_0")
    );
    for stays in [
        "movq\tHOLE_1-2(,%rax,8), %rax",
        "movq\tHOLE_1(%rdi,%rax), %rax",
        "movl\t$HOLE_0, %eax",
        "shlq\t$4, HOLE_0(%rdi)",
        "movw\t$4, HOLE_0(%rdi)",
    ] {
        assert!(short(stays).is_empty(), "{stays}");
    }
}

#[test]
fn rewrites_are_counted() {
    let lines = [
        "movl\t$HOLE_0, %eax",
        "subq\t%rax, %rsi",
        "movq\tHOLE_1(%rdi), %rax",
        "leaq\tHOLE_2(%rip), %r9",
        "movq\t%r9, (%rdi)",
        "jne\t.LBB0_1",
        "jl\tCONT",
        "jmp\tTARGET_2",
        ".LBB0_1:",
        "movq\tadd(%rip), %rax",
        "jmpq\t*%rax",
    ];
    let text: String = lines
        .iter()
        .map(|line| match line.strip_suffix(':') {
            Some(_) => format!("{line}\n"),
            None => format!("\t{line}\n"),
        })
        .collect();
    let text = format!(
        "\t.section\t\".text.f\",\"ax\",@progbits\nf:\n\t.cfi_startproc\n{text}\t.cfi_endproc\n"
    );
    let expected = assembly::Rewrites {
        functions: 1,
        cold_blocks: 1,
        short_forms: 1,
        short_offsets: 1,
        joined_constants: 1,
        absolute_constants: 1,
        shorter_tests: 0,
        falling_tests: 1,
        paired_calls: 0,
    };
    assert_eq!(assembly::rewrite(&text).1, expected);
}
