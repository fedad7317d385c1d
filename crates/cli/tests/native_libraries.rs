//! `+native_libs false`: no native library is loaded, and the error says why.

#[test]
fn a_user_may_refuse_all_libraries() {
    let load = "io:format(\"~p\", [erlang:load_nif(\"any\", 0)]), halt().";
    let told = |flags: &[&str]| {
        let output = stock::ferl_on_25(env!("CARGO_BIN_EXE_ferl"))
            .args(flags)
            .args(["-noshell", "-eval", load])
            .output()
            .expect("ferl starts");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    // From a shell, `load_nif` is in no module that could have a library; the flag comes first.
    assert!(told(&["+native_libs", "false"]).contains("refused by +native_libs false"));
    assert!(!told(&["+native_libs", "true"]).contains("+native_libs"));
    assert!(!told(&[]).contains("+native_libs"));
}
