//! Makes the executable export the functions that native libraries call, and nothing else.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

use spec::driver_functions::DRIVER_FUNCTIONS;
use spec::nif_functions::NIF_FUNCTIONS;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let mut list = "{\n".to_owned();
    let names = NIF_FUNCTIONS.iter().map(|row| row.name);
    // The one constant of the interfaces.
    for name in names
        .chain(DRIVER_FUNCTIONS.iter().copied())
        .chain(["driver_term_nil"])
    {
        writeln!(list, "    {name};").expect("a string grows");
    }
    list.push_str("};\n");
    let folder = env::var("OUT_DIR").expect("Cargo sets it");
    let file = Path::new(&folder).join("exported");
    fs::write(&file, list).expect("the build's own folder can be written to");
    println!(
        "cargo::rustc-link-arg-bins=-Wl,--dynamic-list={}",
        file.display()
    );
}
