//! Commands that end by themselves: compilers and Dialyzer. They are Debian's, start the VM by the name `erl`, and are
//! measured with all that they start, from the beginning to the end.

use anyhow::{Result, bail};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;
use sys::child::Exit;
use sys::child::usage::wait_with_usage;

use super::programs;
use super::server::last_words;
use super::stage::{Stage, number};

/// The modules of a generated program are this large.
const FUNCTIONS_OF_MODULE: usize = 40;

/// `erlc MODULES`, `rebar3 MODULES`, `mix MODULES` or `dialyzer MODULES`.
pub(super) fn run(stage: &Stage, arguments: &[&str]) -> Result<()> {
    let [what, modules] = arguments[..] else {
        bail!("expected a command and a number of modules");
    };
    let modules = number(modules)?;
    let mut command = match what {
        "erlc" => erlc(stage, modules)?,
        "rebar3" => rebar3(stage, modules)?,
        "mix" => mix(stage, modules)?,
        "dialyzer" => dialyzer(stage, modules)?,
        _ => bail!("no command is called {what}"),
    };
    let erl = stage.folder_with_erl()?.join("erl");
    command.env("PATH", stage.path()?);
    // The programs in C start the `erl` of their own folder, unless they are told otherwise.
    for name in ["ERLC_EMULATOR", "ESCRIPT_EMULATOR", "DIALYZER_EMULATOR"] {
        command.env(name, &erl);
    }
    measure(stage, what, &mut command, modules)
}

fn measure(stage: &Stage, what: &str, command: &mut Command, units: u64) -> Result<()> {
    let log = stage.folder.join("command.log");
    let output = fs::File::create(&log)?;
    command.stdin(Stdio::null());
    command.stdout(output.try_clone()?).stderr(output);
    sys::child::bound::bind(command);
    let began = Instant::now();
    let child = command.spawn()?;
    let (exit, usage) = wait_with_usage(child.id())?;
    let took = began.elapsed();
    // Dialyzer has done its work also if it warns of something, which modules of OTP give it reason for.
    let is_done = exit == Exit::Status(0) || what == "dialyzer" && exit == Exit::Status(2);
    if !is_done {
        let program = command.get_program().display();
        bail!("{program}: {exit:?}: {}", last_words(&log));
    }
    let (user, system) = (usage.user.as_secs_f64(), usage.system.as_secs_f64());
    println!("processor: {:.3}", (user + system) * 1e6 / units as f64);
    println!("kernel: {:.1}", system * 100.0 / (user + system));
    println!("time: {:.3}", took.as_secs_f64());
    println!("load: {}", usage.peak_resident_bytes);
    Ok(())
}

/// Has the VM name some modules of OTP, or write their sources. It is not measured then. Returns what it prints.
fn otp_sources(stage: &Stage, what: &str, modules: u64, folder: &Path) -> Result<String> {
    let output = programs::command(stage)
        .args(["-s", "otp_sources", what, &modules.to_string()])
        .args(["-s", "erlang", "halt"])
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() {
        bail!("the modules of OTP cannot be read: {text}");
    }
    Ok(text)
}

fn erlc(stage: &Stage, modules: u64) -> Result<Command> {
    let folder = stage.new_folder("sources")?;
    otp_sources(stage, "write", modules, &folder)?;
    let mut files: Vec<PathBuf> = fs::read_dir(&folder)?
        .flatten()
        .map(|entry| entry.path())
        .collect();
    files.sort_unstable();
    let mut command = Command::new("erlc");
    command.args([
        "+debug_info",
        "+nowarn_unused_record",
        "+nowarn_unused_type",
        "-o",
    ]);
    command.arg(stage.new_folder("ebin")?).args(files);
    Ok(command)
}

/// A program of one application, whose modules are generated.
fn rebar3(stage: &Stage, modules: u64) -> Result<Command> {
    stage.write("rebar.config", "{erl_opts, [debug_info]}.\n{deps, []}.\n")?;
    stage.new_folder("src")?;
    stage.write(
        "src/compiled.app.src",
        "{application, compiled, [{description, \"generated\"}, {vsn, \"1\"}, {modules, []}, {registered, []},\n \
         {applications, [kernel, stdlib]}]}.\n",
    )?;
    for number in 0..modules {
        stage.write(
            &format!("src/compiled_{number}.erl"),
            &erlang_module(number),
        )?;
    }
    let mut command = Command::new("rebar3");
    command.arg("compile");
    Ok(command)
}

fn erlang_module(number: u64) -> String {
    let mut text = format!(
        "-module(compiled_{number}).\n-compile(export_all).\n-compile(nowarn_export_all).\n"
    );
    for function in 0..FUNCTIONS_OF_MODULE {
        let _ = write!(
            text,
            "f{function}(#{{name := Name, size := Size}} = Map, [{{Key, Value}} | Rest]) when Size > {function} ->\n    \
             case lists:keyfind(Key, 1, Rest) of\n        \
             {{Key, Other}} when is_integer(Other) -> f{function}(Map#{{name := Other + Value}}, Rest);\n        \
             false -> [{{Name, Value, <<Size:16, (integer_to_binary({function}))/binary>>}} | f{function}(Map, Rest)];\n        \
             {{_, _}} -> try list_to_integer(Key) of N -> [N | Rest] catch error:badarg -> Rest end\n    \
             end;\n\
             f{function}(#{{}}, []) -> [X || {{X, _}} <- lists:zip([1, 2, 3], [a, b, {function}]), X > 1].\n"
        );
    }
    text
}

/// The same in Elixir.
fn mix(stage: &Stage, modules: u64) -> Result<Command> {
    stage.write(
        "mix.exs",
        "defmodule Compiled.MixProject do\n  use Mix.Project\n  def project, do: [app: :compiled, version: \"1.0.0\", \
         deps: []]\nend\n",
    )?;
    stage.new_folder("lib")?;
    for number in 0..modules {
        stage.write(&format!("lib/compiled_{number}.ex"), &elixir_module(number))?;
    }
    let mut command = Command::new("mix");
    command.arg("compile");
    Ok(command)
}

fn elixir_module(number: u64) -> String {
    let mut text = format!(
        "defmodule Compiled.M{number} do\n  defstruct name: nil, size: {number}, rest: []\n\n"
    );
    for function in 0..FUNCTIONS_OF_MODULE {
        let _ = write!(
            text,
            "  def f{function}(%__MODULE__{{name: name, size: size}} = it, [{{key, value}} | rest]) when size > {function} do\n    \
             case List.keyfind(rest, key, 0) do\n      \
             {{^key, other}} when is_integer(other) -> f{function}(%{{it | name: other + value}}, rest)\n      \
             nil -> [\"#{{name}} has #{{inspect(value)}}\" | f{function}(it, rest)]\n      \
             _ -> rest |> Enum.map(fn {{a, b}} -> {{b, a}} end) |> Enum.filter(&match?({{_, _}}, &1))\n    \
             end\n  end\n\n  \
             def f{function}(%__MODULE__{{}}, []), do: for(x <- [1, 2, {function}], x > 1, do: x * 2)\n\n"
        );
    }
    text.push_str("end\n");
    text
}

/// Dialyzer's table for some modules of OTP: nearly all of what it does is done for that.
fn dialyzer(stage: &Stage, modules: u64) -> Result<Command> {
    let files = otp_sources(stage, "list", modules, &stage.folder)?;
    let mut command = Command::new("dialyzer");
    command.args(["--build_plt", "--quiet", "--output_plt", "table.plt"]);
    command.args(files.lines());
    Ok(command)
}
