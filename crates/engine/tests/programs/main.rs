//! Runs small programs, compiled by OTP's compiler, through the code generator and the bodies, on a minimal runtime
//! with only a few BIFs.

#[cfg(target_arch = "x86_64")]
mod gdb_jit;
mod harness;
mod operations;
#[cfg(target_arch = "x86_64")]
mod room;

use std::sync::{Mutex, MutexGuard, PoisonError};

use engine::{CoverageMode, Covered};
use harness::Node;

/// The form of code, and the memory for it, are shared by the whole process: a test that changes them must hold this
/// lock.
fn alone() -> MutexGuard<'static, ()> {
    static FORM: Mutex<()> = Mutex::new(());
    FORM.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs a test with machine code, if there are stencils, and threaded. Only one test runs at a time.
fn in_both_forms(test: impl Fn()) {
    let _alone = alone();
    for native in [true, false] {
        engine::native::set_enabled(native);
        test();
    }
    engine::native::set_enabled(true);
}

/// The result of each program must be that of OTP's VM. `tests/programs/basic.erl` describes what each program is
/// for.
#[test]
fn programs_answer_what_they_should() {
    in_both_forms(|| {
        let mut node = Node::new();
        node.load("basic");
        programs_answer(&mut node);
        let before = node.collections();
        node.stress();
        programs_answer(&mut node);
        let stressed = node.collections() - before;
        assert!(stressed > 200, "only {stressed} collections under stress");
    });
}

/// What is counted changes no result, and every call is counted once, however many slices it takes.
#[test]
fn calls_are_counted() {
    in_both_forms(|| {
        for mode in [CoverageMode::Function, CoverageMode::FunctionCounters] {
            let mut node = Node::new();
            node.coverage = Some(mode);
            node.load("basic");
            assert_eq!(node.call("basic", "fib", &[20]), "6765");
            assert_eq!(node.call("basic", "count", &[100_000]), "done");
            assert!(node.slices > 20);
            let found = |name: &str| {
                let code = node.code("basic");
                let functions = code.functions().zip(code.coverage().unwrap().functions());
                let mut named =
                    functions.filter(|((it, _), _)| term::atom::text(it.function) == name);
                named.next().unwrap().1
            };
            let calls = [("fib", 21_891), ("count", 100_001), ("caught", 0)];
            for (name, times) in calls {
                let expected = match mode {
                    CoverageMode::Function => Covered::HasRun(times > 0),
                    _ => Covered::Times(times),
                };
                assert_eq!(found(name), expected, "{name}");
            }
            node.code("basic").coverage().unwrap().reset();
            assert!(matches!(
                found("fib"),
                Covered::HasRun(false) | Covered::Times(0)
            ));
            programs_answer(&mut node);
        }
    });
}

fn programs_answer(node: &mut Node) {
    for (function, arguments, expected) in [
        ("fib", &[20][..], "6765"),
        ("count", &[1_000_000], "done"),
        ("reverse", &[5], "[5,4,3,2,1]"),
        ("sum", &[100], "5050"),
        ("caught", &[], "{'EXIT',oops}"),
        ("catch_nothing", &[], "fine"),
        ("try_class", &[1], "{error,{badmatch,1}}"),
        ("try_class", &[2], "{error,{case_clause,2}}"),
        ("try_class", &[3], "{error,if_clause}"),
        ("try_class", &[4], "{error,function_clause}"),
        ("try_class", &[5], "{ok,5}"),
        ("try_class", &[6], "{error,badarith}"),
        ("deep", &[1000], "{caught,bottom}"),
        ("nested", &[], "[{inner,1},{outer,2}]"),
        ("choose", &[1], "one"),
        ("choose", &[4], "four"),
        ("choose", &[77], "other"),
        ("choose_sparse", &[100], "hundred"),
        ("choose_sparse", &[1_000_000], "million"),
        ("choose_sparse", &[-5], "minus_five"),
        ("choose_sparse", &[0], "other"),
        ("choose_atoms", &[], "[1,2,3,4,5,6,7,8,9,10,11,12,none]"),
        (
            "shapes",
            &[],
            "[{pair,1,2},{triple,1,2,3},{tagged,9},empty,none]",
        ),
        ("funs", &[10], "[11,20,10,7]"),
        ("fold", &[1000], "500500"),
        ("operators", &[7], "[14,6,49,2,1,3,7,4,28,3,-7,-8]"),
        ("big_frame", &[3], "[3,4,5,6,7,8,9,10,11,12]"),
        (
            "types",
            &[],
            "[integer,atom,float,nil,list,tuple,binary,function,other]",
        ),
        ("ordering", &[], "[true,false,true,true,false,true]"),
        ("applied", &[4], "[5,5,5]"),
        ("tuple_of", &[6], "{6,7,8,9,10,11,12}"),
    ] {
        let arguments: Vec<i64> = arguments.to_vec();
        assert_eq!(
            node.call("basic", function, &arguments),
            expected,
            "{function}"
        );
    }
}

/// Programs with maps, floats and bit strings return the same as on OTP's VM, both when compiled for this release and
/// for older ones, whose code builds bit strings step by step.
#[test]
fn terms_are_built_and_taken_apart() {
    in_both_forms(|| {
        let calls = [
            ("flat_map", 1),
            ("hash_map", 100),
            ("map_update", 5),
            ("map_keys", 7),
            ("tuples", 7),
            ("short_bifs", 3),
            ("short_bifs", 1),
            ("floats", 4),
            ("float_errors", 0),
            ("integers", 300),
            ("big_integers", 3),
            ("strings", 0),
            ("unaligned", 5),
            ("utf", 97),
            ("utf", 8364),
            ("utf", 0x1_f600),
            ("utf_invalid", 0),
            ("building", 7),
            ("appended", 1000),
            ("comprehension", 5),
            ("packet", 9),
            ("walk", 3000),
        ];
        let expected = Node::new().stock("terms", &calls);
        assert_eq!(expected.len(), calls.len());
        for options in [&[][..], &["+r24"], &["+r22"]] {
            let mut node = Node::new();
            node.load_with("terms", options);
            for stressed in [false, true] {
                if stressed {
                    node.stress();
                }
                for ((function, argument), expected) in calls.iter().zip(&expected) {
                    let answer = node.call("terms", function, &[*argument]);
                    assert_eq!(
                        answer, *expected,
                        "{function}({argument}) {options:?}, stressed: {stressed}"
                    );
                }
            }
        }
    });
}

/// A slice ends after its reductions, and the process later continues where it was, with its registers.
#[test]
fn a_slice_ends_and_goes_on() {
    in_both_forms(|| {
        let mut node = Node::new();
        node.load("basic");
        node.reductions = 100;
        assert_eq!(node.call("basic", "fib", &[15]), "610");
        assert!(node.slices > 10, "{} slices", node.slices);
        node.slices = 0;
        assert_eq!(node.call("basic", "many_arguments", &[500]), "{done,36}");
        assert!(node.slices >= 4, "{} slices", node.slices);
    });
}

/// Deep recursion outgrows the first heap block many times over.
#[test]
fn a_deep_stack_grows() {
    in_both_forms(|| {
        let mut node = Node::new();
        node.load("basic");
        assert_eq!(node.call("basic", "sum", &[200_000]), "20000100000");
        assert!(node.collections() > 3);
    });
}

/// No handler leaves a native frame behind: a hundred million operations run on a stack of 64 KiB.
#[test]
fn operations_leave_the_native_stack_alone() {
    in_both_forms(|| {
        let thread = std::thread::Builder::new().stack_size(64 << 10).spawn(|| {
            let mut node = Node::new();
            // Compiling and decoding need a larger stack.
            std::thread::scope(|scope| {
                let builder = std::thread::Builder::new().stack_size(4 << 20);
                builder
                    .spawn_scoped(scope, || node.load("basic"))
                    .unwrap()
                    .join()
                    .unwrap();
            });
            assert_eq!(node.call("basic", "count", &[20_000_000]), "done");
            assert_eq!(node.call("basic", "mixed", &[300_000]), "300000");
        });
        thread.unwrap().join().unwrap();
    });
}

/// Prints the times of loops next to those of OTP's VM:
/// `cargo test --release -p engine -- --ignored --nocapture`.
#[test]
#[ignore = "measures"]
fn times() {
    let calls = [
        ("count", 50_000_000),
        ("fib", 32),
        ("reverse", 20_000_000),
        ("append", 10_000_000),
        ("map_fun", 10_000_000),
        ("fold_fun", 10_000_000),
        ("sort", 1_000_000),
        ("record", 10_000_000),
        ("dispatch", 20_000_000),
        ("tree", 1_000_000),
        ("map_get", 10_000_000),
        ("map_put", 5_000_000),
        ("map_hash", 5_000_000),
        ("parse", 10_000_000),
        ("build", 5_000_000),
        ("packets", 5_000_000),
        ("floats", 10_000_000),
        ("factorial", 1_000_000),
        ("try_of", 10_000_000),
        ("thrown", 500_000),
        ("bifs", 5_000_000),
    ];
    let stock = Node::new().stock_times("speed", &calls);
    let mut nodes = [true, false].map(|native| {
        engine::native::set_enabled(native);
        let mut node = Node::new();
        node.load("speed");
        node
    });
    println!(
        "{:>10} {:>8} {:>8} {:>8}  seconds",
        "", "stock", "native", "threaded"
    );
    for ((function, argument), stock) in calls.iter().zip(stock) {
        let [native, threaded] = [0, 1].map(|form: usize| {
            let start = std::time::Instant::now();
            nodes[form].call("speed", function, &[*argument]);
            start.elapsed().as_secs_f64()
        });
        println!(
            "{function:>10} {stock:8.3} {native:8.3} {threaded:8.3}  {:.2} {:.2} of stock",
            native / stock,
            threaded / stock
        );
    }
    engine::native::set_enabled(true);
}

/// The return addresses of a stack trace map to the functions and lines of the calls.
#[test]
fn addresses_have_functions_and_lines() {
    in_both_forms(|| {
        let mut node = Node::new();
        node.load("basic");
        assert_eq!(node.call("basic", "deep", &[3]), "{caught,bottom}");
        let (source, trace) = (node.source("basic"), node.last_trace());
        let line_of = |text: &str| 1 + source.lines().position(|line| line.contains(text)).unwrap();
        let dive = line_of("1 + ?MODULE:dive(N - 1)") as u32;
        let expected = [
            ("dive/1".to_owned(), line_of("dive(0) ->") as u32),
            ("dive/1".to_owned(), dive),
            ("dive/1".to_owned(), dive),
            ("dive/1".to_owned(), dive),
            ("deep/1".to_owned(), line_of("try dive(N)") as u32),
        ];
        assert_eq!(trace, expected);
    });
}
