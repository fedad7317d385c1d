//! The bodies are suitable as stencils: compiled with symbols as operands, each becomes a sequence of code that ends
//! in jumps. It contains no call and no return, uses no frame on the native stack, and reads no data of its own.

use std::path::Path;
use std::process::Command;

use term::am;

/// Operations that need more registers than are free: they save some, and restore them before their final jumps.
const SHORT_OF_REGISTERS: [&str; 14] = [
    "CallFun",
    "CallFunLast",
    "GetMapElement",
    "GetMapElementOf",
    "GetRecordElement",
    "GetUtf8",
    "HasMapField",
    "IsMapKey",
    "MapGet",
    "PutBytes",
    "RemainderByConstant",
    "SelectValue",
    "SkipUtf8",
    "UpdateMap",
];

/// Runs a program and returns its output.
fn output(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
#[cfg(target_arch = "x86_64")]
fn stencils_are_pure_runs_of_code() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let out = std::env::temp_dir().join(format!("ferl-stencils-{}", std::process::id()));
    std::fs::create_dir_all(&out).unwrap();
    let path = |name: &str| out.join(name).display().to_string();
    let source = |name: &str| crates.join(name).display().to_string();
    let rustc = |arguments: &[&str]| {
        let common = [
            "--edition=2024",
            "-Copt-level=3",
            "-Crelocation-model=static",
            "-Ccode-model=small",
            "-Cpanic=abort",
            "-Ccodegen-units=1",
            "--cap-lints=allow",
        ];
        output("rustc", &[&common, arguments].concat());
    };
    let (spec, layout, object) = (
        path("libspec.rlib"),
        path("liblayout.rlib"),
        path("stencils.o"),
    );
    rustc(&[
        "--crate-type=rlib",
        "--crate-name=spec",
        &source("spec/src/lib.rs"),
        "-o",
        &spec,
    ]);
    rustc(&[
        "--crate-type=rlib",
        "--crate-name=layout",
        &source("layout/src/lib.rs"),
        "-o",
        &layout,
    ]);
    rustc(&[
        "--crate-type=lib",
        "--emit=obj",
        &format!("--extern=layout={layout}"),
        &format!("--extern=spec={spec}"),
        &source("engine/src/stencils.rs"),
        "-o",
        &object,
    ]);
    let code = output("objdump", &["-dr", "--no-show-raw-insn", &object]);
    std::fs::remove_dir_all(&out).unwrap();

    let mut functions: Vec<Function> = Vec::new();
    for line in code.lines() {
        if let Some(symbol) = line
            .strip_suffix(">:")
            .and_then(|line| line.split_once('<'))
        {
            functions.push(Function {
                operation: operation(symbol.1),
                text: Vec::new(),
            });
        }
        // The text of an instruction or relocation, without its address. A jump within the function names the
        // function's own symbol, which contains a hash that changes with the crate; it is removed.
        let text = line
            .split_once(":\t")
            .map(|(_, text)| text.split(" <_").next().unwrap_or(text).to_owned());
        let symbol = line
            .split_once(": R_X86_64_")
            .map(|(_, text)| format!("  {text}"));
        if let (Some(text), Some(function)) = (text.or(symbol), functions.last_mut()) {
            function.text.push(text.trim_end().to_owned());
        }
    }
    assert!(functions.len() >= 200, "{} stencils", functions.len());

    let mut faults = Vec::new();
    for Function { operation, text } in &functions {
        let may_save = SHORT_OF_REGISTERS.contains(&operation.as_str());
        for line in text {
            let saves = line.starts_with("push ") || line.starts_with("pop ");
            let refused = ["call ", "ret", "%rsp", ".rodata"];
            if saves && !may_save || refused.iter().any(|word| line.contains(word)) {
                faults.push(format!("{operation}: {line}"));
                break;
            }
        }
    }
    faults.dedup();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    compare_with_snapshot(functions);
}

/// The machine code of one stencil.
struct Function {
    operation: String,
    text: Vec<String>,
}

/// The name of the operation in a mangled symbol: `..bodies..arith..Add$u20$as..`.
fn operation(symbol: &str) -> String {
    let path = symbol.split("$u20$").next().unwrap_or(symbol);
    path.rsplit("..").next().unwrap_or(path).to_owned()
}

/// Writes an instruction's atoms by name: their numbers change with each atom that is added to the table.
fn with_atoms_by_name(text: &str) -> String {
    [("true", am::TRUE), ("false", am::FALSE)]
        .iter()
        .fold(text.to_owned(), |text, (name, atom)| {
            text.replace(&format!("$0x{:x},", atom.bits()), &format!("${name},"))
        })
}

/// Writes a shift by one bit without its count, as binutils did before 2.41.
fn with_short_shifts(text: &str) -> String {
    match text.split_once("$1,") {
        Some((shift, operand))
            if ["sh", "sa", "ro"]
                .iter()
                .any(|name| shift.starts_with(name)) =>
        {
            format!("{shift}{operand}")
        }
        _ => text.to_owned(),
    }
}

/// Makes changes in the compiler's output visible: the shortest stencil of each operation must be the one in
/// `stencils.asm`. Another compiler may generate different code; `BLESS=1` rewrites the file.
fn compare_with_snapshot(mut functions: Vec<Function>) {
    for line in functions.iter_mut().flat_map(|function| &mut function.text) {
        *line = with_short_shifts(&with_atoms_by_name(line));
    }
    functions.sort_by(|a, b| {
        let length = |function: &Function| function.text.len();
        (&a.operation, length(a), &a.text).cmp(&(&b.operation, length(b), &b.text))
    });
    functions.dedup_by(|later, first| later.operation == first.operation);
    let compiler = output("rustc", &["--version"]);
    let mut found = format!("# {compiler}");
    for Function { operation, text } in &functions {
        found.push_str(&format!("\n{operation}:\n    {}\n", text.join("\n    ")));
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stencils.asm");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, found).unwrap();
        return;
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    if kept.lines().next() != found.lines().next() {
        println!("not compared with stencils.asm, which another compiler wrote");
        return;
    }
    let difference = kept.lines().zip(found.lines()).find(|(a, b)| a != b);
    assert!(
        kept == found,
        "stencils.asm differs, first in {difference:?}; BLESS=1 writes it anew"
    );
}
