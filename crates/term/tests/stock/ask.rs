//! Evaluates expressions on stock OTP 25, and returns what a fun makes of each value.

use std::path::PathBuf;
use std::process::Stdio;
use std::sync::atomic::{AtomicU32, Ordering};

const PROGRAM: &str = r#"
    [In, Out] = init:get_plain_arguments(),
    {ok, Bytes} = file:read_file(In),
    Value = fun(Text) ->
        {ok, Tokens, _} = erl_scan:string(Text ++ "."),
        {ok, Forms} = erl_parse:parse_exprs(Tokens),
        {value, V, _} = erl_eval:exprs(Forms, []),
        V
    end,
    [First | Rest] = string:split(string:trim(unicode:characters_to_list(Bytes), trailing, "\n"), "\n", all),
    Mapper = Value(First),
    Lines = [begin
                 {Pid, Ref} = spawn_monitor(fun() -> exit({done, Mapper(Value(Text))}) end),
                 receive
                     {'DOWN', Ref, process, Pid, {done, Line}} -> [Line, $\n];
                     {'DOWN', Ref, process, Pid, Reason} ->
                         io:format("~ts: ~p~n", [Text, Reason]), halt(1)
                 end
             end || Text <- Rest],
    ok = file:write_file(Out, unicode:characters_to_binary(Lines)),
    halt(0).
"#;

static RUN: AtomicU32 = AtomicU32::new(0);

/// A line for each expression: the characters that `mapper`, a fun, made of its value.
///
/// # Panics
/// When stock OTP is missing, or cannot evaluate an expression.
pub(crate) fn ask(mapper: &str, expressions: &[String]) -> Vec<String> {
    run(mapper, expressions).lines
}

/// The output of a run of stock OTP.
pub(crate) struct Answer {
    /// A line for each expression.
    pub lines: Vec<String>,
    /// What it wrote to standard output.
    pub output: Vec<u8>,
}

/// As [`ask`], and also returns what the mapper wrote.
///
/// # Panics
/// When stock OTP is missing, or cannot evaluate an expression.
pub(crate) fn run(mapper: &str, expressions: &[String]) -> Answer {
    let run = RUN.fetch_add(1, Ordering::Relaxed);
    let path = |kind: &str| -> PathBuf {
        let name = format!("term-stock-{}-{run}.{kind}", std::process::id());
        std::env::temp_dir().join(name)
    };
    let (questions, answers) = (path("in"), path("out"));
    let one_line = |text: &str| text.replace('\n', " ");
    let mut text = one_line(mapper);
    for expression in expressions {
        text.push('\n');
        text.push_str(&one_line(expression));
    }
    std::fs::write(&questions, text).unwrap();
    let output = stock::erl_25()
        .args(["-noshell", "-noinput", "-eval", PROGRAM, "-extra"])
        .args([&questions, &answers])
        .stdin(Stdio::null())
        .output()
        .expect("OTP 25 starts");
    assert!(
        output.status.success(),
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    let lines = std::fs::read_to_string(&answers).unwrap();
    let _ = std::fs::remove_file(questions);
    let _ = std::fs::remove_file(answers);
    let lines: Vec<String> = lines.lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), expressions.len());
    Answer {
        lines,
        output: output.stdout,
    }
}

/// The bytes of a text of hexadecimal digits.
pub(crate) fn unhex(text: &str) -> Vec<u8> {
    (0..text.len() / 2)
        .map(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).unwrap())
        .collect()
}
