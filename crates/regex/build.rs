//! Says whether the PCRE2 of this build may make machine code: only if it never has memory that can be written and
//! executed at once, for which it is compiled with the flag that `.cargo/config.toml` names.

fn main() {
    println!("cargo::rerun-if-env-changed=CFLAGS");
    println!("cargo::rustc-check-cfg=cfg(machine_code)");
    let flags = std::env::var("CFLAGS").unwrap_or_default();
    if flags.contains("-DSLJIT_WX_EXECUTABLE_ALLOCATOR=1") {
        println!("cargo::rustc-cfg=machine_code");
    }
}
