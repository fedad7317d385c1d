//! Holds how often the build rewrote the stencils' assembly in each way, and how many stencils that gave.
//!
//! `build/assembly.rs` leaves alone what it does not recognise, so a compiler that writes something else makes ferl
//! slower and breaks nothing. `tests/rewrites.txt` has the counts of the compiler that `rust-toolchain.toml` pins.

use std::path::Path;

/// What the build counted; empty where there are no stencils.
const COUNTED: &str = include_str!(concat!(env!("OUT_DIR"), "/rewrites.txt"));

const ADVICE: &str = "\
The build rewrites the stencils' assembly as often as tests/rewrites.txt does not say.
- If a body or a row of the table of stencils was changed: compare the two lists. Where they differ by what was changed, \
BLESS=1 writes the file anew.
- If the compiler was changed: a count that is smaller than before is a pattern that the new compiler writes otherwise. \
Find it by comparing tests/stencils.asm (BLESS=1 cargo test -p engine --test stencils, then git diff), teach it to \
build/assembly.rs beside the old one, with a case in tests/assembly.rs, and compare instruction counts of both before BLESS=1.";

#[test]
fn the_assembly_is_rewritten_as_often_as_before() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rewrites.txt");
    if COUNTED.is_empty() {
        println!("there are no stencils here");
        return;
    }
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, COUNTED).unwrap();
        return;
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == COUNTED,
        "{ADVICE}\n\ntests/rewrites.txt has\n{kept}\nthe build counted\n{COUNTED}"
    );
}
