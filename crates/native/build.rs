//! Compiles the functions of the C interface that Rust cannot define: variadic ones, and those that end a thread.

const FILES: [&str; 3] = ["c/variadic.c", "c/threads.c", "c/driver_locks.c"];

fn main() {
    for file in FILES {
        println!("cargo::rerun-if-changed={file}");
    }
    cc::Build::new()
        .files(FILES)
        .flag("-Wall")
        .flag("-Wextra")
        .compile("ferl_native");
}
