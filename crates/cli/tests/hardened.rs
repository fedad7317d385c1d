//! Nodes on systems that refuse memory: executable memory or files in memory, simulated by a system call filter, or
//! memory beyond a limit.
#![cfg(target_arch = "x86_64")]

use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Output};

use libc::{
    BPF_ABS, BPF_JEQ, BPF_JGE, BPF_JMP, BPF_JSET, BPF_K, BPF_LD, BPF_RET, BPF_W, c_long,
    sock_filter,
};

/// Offsets in the filter's data: the number of the system call, and the low half of an argument.
const NUMBER: u32 = 0;
const fn argument(index: u32) -> u32 {
    16 + index * 8
}

/// A condition of a filter that makes a system call fail: unless it holds, the call is allowed.
struct Must {
    field: u32,
    test: u32,
    value: u32,
}

fn must(field: u32, test: u32, value: u32) -> Must {
    Must { field, test, value }
}

/// A filter that makes a system call fail with `error` if all conditions hold.
fn filter(call: c_long, steps: &[Must], error: i32) -> Vec<sock_filter> {
    let steps: Vec<Must> = std::iter::once(must(NUMBER, BPF_JEQ, call as u32))
        .chain(
            steps
                .iter()
                .map(|step| must(step.field, step.test, step.value)),
        )
        .collect();
    let instruction = |code: u32, on_false: usize, k: u32| sock_filter {
        code: code as u16,
        jt: 0,
        jf: on_false as u8,
        k,
    };
    let mut filter = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        filter.push(instruction(BPF_LD | BPF_W | BPF_ABS, 0, step.field));
        // Jump over the remaining steps and the error.
        let allowed = (steps.len() - 1 - index) * 2 + 1;
        filter.push(instruction(
            BPF_JMP | step.test | BPF_K,
            allowed,
            step.value,
        ));
    }
    let refusal = libc::SECCOMP_RET_ERRNO | error as u32;
    filter.push(instruction(BPF_RET | BPF_K, 0, refusal));
    filter.push(instruction(BPF_RET | BPF_K, 0, libc::SECCOMP_RET_ALLOW));
    filter
}

/// Memory that was written cannot be made executable, as under systemd's `MemoryDenyWriteExecute`.
fn no_executable_memory() -> Vec<sock_filter> {
    let executable = must(argument(2), BPF_JSET, libc::PROT_EXEC as u32);
    filter(libc::SYS_mprotect, &[executable], libc::EPERM)
}

/// At most 2 MiB at a time can be mapped below 2 GiB.
fn little_low_memory() -> Vec<sock_filter> {
    let low = (libc::MAP_32BIT | libc::MAP_FIXED_NOREPLACE) as u32;
    let steps = [
        must(argument(1), BPF_JGE, 2 << 20),
        must(argument(3), BPF_JSET, low),
    ];
    filter(libc::SYS_mmap, &steps, libc::ENOMEM)
}

fn run(filter: Vec<sock_filter>, arguments: &[&str]) -> Output {
    let mut command = stock::ferl_on_25(env!("CARGO_BIN_EXE_ferl"));
    command.arg("-noshell").args(arguments);
    run_command(filter, &mut command)
}

fn run_command(mut filter: Vec<sock_filter>, command: &mut Command) -> Output {
    // SAFETY: the closure only makes two system calls, on the child's own memory.
    unsafe {
        command.pre_exec(move || {
            let program = libc::sock_fprog {
                len: filter.len() as u16,
                filter: filter.as_mut_ptr(),
            };
            let mode = libc::SECCOMP_MODE_FILTER;
            if libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
                || libc::prctl(libc::PR_SET_SECCOMP, mode, &raw const program) != 0
            {
                return Err(std::io::Error::last_os_error());
            }
            Ok(())
        });
    }
    command.output().unwrap()
}

#[test]
fn a_packed_file_says_that_it_needs_files_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    let (script, app) = (folder.path().join("script"), folder.path().join("app"));
    std::fs::write(&script, "#!/usr/bin/env escript\nmain(_) -> ok.\n").unwrap();
    let mut pack = stock::ferl_on_25(env!("CARGO_BIN_EXE_ferl"));
    pack.arg("pack").arg(&script).arg("-o").arg(&app);
    assert!(pack.status().unwrap().success());
    let refused = filter(libc::SYS_memfd_create, &[], libc::EPERM);
    let output = run_command(refused, Command::new(&app).current_dir(folder.path()));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(
        errors
            .contains("the system refuses files in memory (memfd_create: Operation not permitted)")
            && errors.lines().count() == 1,
        "{errors}"
    );
    // No crash dump either.
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
}

const SHOW_FORM: &str = "io:format(\"~p ~p~n\", [erlang:system_info(emu_flavor), \
                         length(lists:seq(1, 1000))]), halt().";

#[test]
fn without_executable_memory_code_runs_threaded_and_one_line_says_so() {
    let output = run(no_executable_memory(), &["-eval", SHOW_FORM]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "emu 1000\n",
        "{errors}"
    );
    assert_eq!(
        errors,
        "ferl: the system gives no executable memory (Operation not permitted): \
         code is interpreted, which is slower\n"
    );
    // If that form was requested, no message is printed.
    let arguments = ["-emu_flavor", "emu", "-eval", SHOW_FORM];
    let output = run(no_executable_memory(), &arguments);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "emu 1000\n");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

/// Makes stock compile a module with one very long function.
const MAKE_LARGE: &str = r#"
    Moves = [{move, {integer, N rem 1000}, {x, 0}} || N <- lists:seq(1, 120000)],
    Code = [{label, 1}, {func_info, {atom, large}, {atom, f}, 0}, {label, 2} | Moves] ++ [return],
    {ok, large, Beam} =
        compile:forms({large, [{f, 0}], [], [{function, f, 0, 2, Code}], 3}, [from_asm, binary]),
    ok = file:write_file("large.beam", Beam),
    halt()."#;

#[test]
fn where_memory_for_machine_code_is_used_up_a_large_module_runs_without() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("hardened");
    std::fs::create_dir_all(&folder).unwrap();
    let made = stock::erl_25()
        .current_dir(&folder)
        .args(["-noshell", "-eval", MAKE_LARGE])
        .output()
        .unwrap();
    assert!(
        made.status.success(),
        "{}",
        String::from_utf8_lossy(&made.stdout)
    );
    let load = format!(
        "{{ok, B}} = file:read_file(\"{}/large.beam\"),
         io:format(\"~p~n~p~n~p~n\", [code:load_binary(large, \"\", B),
            catch large:f(), catch sofs:to_external(sofs:set([b, a]))]), halt().",
        folder.display()
    );
    let output = run(little_low_memory(), &["-eval", &load]);
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(text, "{module,large}\n0\n[a,b]\n", "{errors}");
    // Threaded code need not be below 2 GiB.
    let output = run(little_low_memory(), &["-emu_flavor", "emu", "-eval", &load]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.starts_with("{module,large}\n0\n[a,b]\n"), "{text}");
}

#[test]
fn in_a_limited_address_space_a_node_starts_and_a_process_that_eats_it_up_dies_alone() {
    // What is loaded only now may not find the memory for it.
    const EAT: &str = "
        ok = code:ensure_modules_loaded([unicode_util, string, erl_lint, erl_bits, io_lib, io_lib_format, io_lib_pretty,
            erl_scan, erl_anno, otp_internal, logger_formatter, error_logger, proc_lib]),
        Eat = fun Eat(List) -> Eat([List | List]) end,
        {Pid, Monitor} = spawn_monitor(fun() -> Eat([]) end),
        receive {'DOWN', Monitor, process, Pid, Reason} -> io:format(\"~p ~p~n\", [Reason, lists:sum([1, 2])]) end,
        halt().";
    let mut command = stock::ferl_on_25(env!("CARGO_BIN_EXE_ferl"));
    command.args(["+S", "1", "-noshell", "-eval", EAT]);
    // SAFETY: the closure only makes one system call, on the child's own memory.
    unsafe {
        command.pre_exec(|| {
            let limits = libc::rlimit {
                rlim_cur: 1 << 30,
                rlim_max: 1 << 30,
            };
            match libc::setrlimit(libc::RLIMIT_AS, &raw const limits) {
                0 => Ok(()),
                _ => Err(std::io::Error::last_os_error()),
            }
        });
    }
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(text.ends_with("killed 3\n"), "{text}{errors}");
}
