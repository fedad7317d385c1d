//! Compiles the functions of the C interface that Rust cannot define: variadic ones, and those that end a thread.

fn main() {
    for file in ["c/variadic.c", "c/threads.c"] {
        println!("cargo::rerun-if-changed={file}");
    }
    cc::Build::new()
        .files(["c/variadic.c", "c/threads.c"])
        .flag("-Wall")
        .flag("-Wextra")
        .compile("ferl_native");
}
