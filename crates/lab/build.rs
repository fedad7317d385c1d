//! The programs of the experiments are part of the lab: a new file among them must be seen.

fn main() {
    for folder in [
        "../../experiments",
        "../../experiments/compute",
        "../../experiments/elixir",
        "../../experiments/processes",
    ] {
        println!("cargo:rerun-if-changed={folder}");
    }
}
