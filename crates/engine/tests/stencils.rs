//! The bodies carry over to stencils: compiled over symbols as operands, each is a run of code that ends in jumps, with
//! no call, no return and no frame on the native stack, and reads no data of its own.

use std::path::Path;
use std::process::Command;

/// Operations that need more registers than are free: they save some, and restore them before their closing jumps.
const SHORT_OF_REGISTERS: [&str; 7] = [
    "Element",
    "GetInteger",
    "GetMapElement",
    "MakeFun",
    "NotSame",
    "SelectValue",
    "ShiftLeft",
];

/// Runs a program and answers what it prints.
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
    let (isa, layout, object) = (
        path("libisa.rlib"),
        path("liblayout.rlib"),
        path("stencils.o"),
    );
    rustc(&[
        "--crate-type=rlib",
        "--crate-name=isa",
        &source("isa/src/lib.rs"),
        "-o",
        &isa,
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
        &format!("--extern=isa={isa}"),
        &source("engine/src/stencils.rs"),
        "-o",
        &object,
    ]);
    let code = output("objdump", &["-dr", "--no-show-raw-insn", &object]);
    std::fs::remove_dir_all(&out).unwrap();

    let (mut stencils, mut name) = (0, "");
    for (number, line) in code.lines().enumerate() {
        if let Some(symbol) = line
            .strip_suffix(">:")
            .and_then(|line| line.split_once('<'))
        {
            name = symbol.1;
            stencils += 1;
        }
        // The instruction, or the relocation, behind the address.
        let Some((_, text)) = line.split_once(":\t").or_else(|| line.split_once(": R_")) else {
            continue;
        };
        let saves = text.starts_with("push ") || text.starts_with("pop ");
        let may_save = SHORT_OF_REGISTERS
            .iter()
            .any(|operation| name.contains(operation));
        assert!(!saves || may_save, "line {number}: {line} in {name}");
        for refused in ["call ", "ret", "%rsp", ".rodata"] {
            assert!(!text.contains(refused), "line {number}: {line} in {name}");
        }
    }
    assert!(stencils >= 200, "{stencils} stencils");
}
