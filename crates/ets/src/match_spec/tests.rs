//! Heads, guards and bodies on terms. The expected results are those of `ets:match_spec_run/2` in OTP 25.

use layout::Term;
use term::{build, list};

use super::{Interpreter, Program, replace_check, sources};
use term::test_terms::{Terms, assert_same};

/// A specification, a list of subjects, and the results of those that match.
const CASES: &[(&str, &str, &str)] = &[
    (
        r#"[{{'$1','_'},[],['$1']}]"#,
        r#"[{a,1},{b,2},{c},d,{a,1,2}]"#,
        r#"[a,b]"#,
    ),
    (
        r#"[{'$1',[],['$1']}]"#,
        r#"[{a},b,[1,2]]"#,
        r#"[{a},b,[1,2]]"#,
    ),
    (r#"[{'_',[],[true]}]"#, r#"[{a},b]"#, r#"[true,true]"#),
    (
        r#"[{{'$1','$1'},[],['$_']}]"#,
        r#"[{1,1},{1,1.0},{[a],[a]},{[a],[b]}]"#,
        r#"[{1,1},{[a],[a]}]"#,
    ),
    (
        r#"[{{'$2','$1'},[],['$$']}]"#,
        r#"[{a,b},{1,2}]"#,
        r#"[[b,a],[2,1]]"#,
    ),
    (r#"[{{'$10','$2'},[],['$$']}]"#, r#"[{a,b}]"#, r#"[[b,a]]"#),
    (
        r#"[{{a,[b|'$1']},[],['$1']}]"#,
        r#"[{a,[b]},{a,[b,c]},{a,[b|c]},{a,[c]},{a,b}]"#,
        r#"[[],[c],c]"#,
    ),
    (
        r#"[{{[x,'$1',y|'_'],'_'},[],['$1']}]"#,
        r#"[{[x,1,y],0},{[x,2,y,z],0},{[x,2,z],0},{[x],0}]"#,
        r#"[1,2]"#,
    ),
    (
        r#"[{{#{k => '$1'}},[],['$1']}]"#,
        r#"[{#{k => 1}},{#{k => 2, j => 3}},{#{j => 3}},{[]}]"#,
        r#"[1,2]"#,
    ),
    (
        r#"[{{#{k => #{l => '$1'}, m => '$2'}, '$2'},[],[{{'$1','$2'}}]}]"#,
        r#"[{#{k => #{l => 1}, m => 2}, 2},{#{k => #{l => 1}, m => 2}, 3}]"#,
        r#"[{1,2}]"#,
    ),
    (
        r#"[{{#{}},[],[true]}]"#,
        r#"[{#{}},{#{a => 1}},{a}]"#,
        r#"[true,true]"#,
    ),
    (
        r#"[{{#{a => [1,2]}},[],[true]}]"#,
        r#"[{#{a => [1,2]}},{#{a => [1,2], b => 1}},{#{a => [1]}}]"#,
        r#"[true,true]"#,
    ),
    (
        r#"[{{1.0},[],[true]}]"#,
        r#"[{1},{1.0},{2.0}]"#,
        r#"[true]"#,
    ),
    (
        r#"[{{"abc",123456789012345678901234567890},[],['$_']}]"#,
        r#"[{"abc",123456789012345678901234567890},{"abd",123456789012345678901234567890},{"abc",1}]"#,
        r#"[{[97,98,99],123456789012345678901234567890}]"#,
    ),
    (
        r#"[{{<<"xyz">>},[],[yes]},{{'_'},[],[no]}]"#,
        r#"[{<<"xyz">>},{<<"xyw">>}]"#,
        r#"[yes,no]"#,
    ),
    (
        r#"[{{'$1'},[{'>','$1',3}],['$1']}]"#,
        r#"[{1},{5},{3.5},{a},{3}]"#,
        r#"[5,3.5,a]"#,
    ),
    (
        r#"[{{'$1'},[{'==','$1',1}],['$1']}]"#,
        r#"[{1},{1.0},{2}]"#,
        r#"[1,1.0]"#,
    ),
    (
        r#"[{{'$1'},[{'=:=','$1',1}],['$1']}]"#,
        r#"[{1},{1.0},{2}]"#,
        r#"[1]"#,
    ),
    (
        r#"[{{'$1'},[{'=/=','$1',1},{'/=','$1',2}],['$1']}]"#,
        r#"[{1},{1.0},{2},{2.0}]"#,
        r#"[1.0]"#,
    ),
    (
        r#"[{{'$1','$2'},[{'andalso',{is_integer,'$1'},{'>','$1','$2'}}],[{'-','$1','$2'}]}]"#,
        r#"[{3,1},{a,1},{1,3},{3.5,1}]"#,
        r#"[2]"#,
    ),
    (
        r#"[{{'$1'},[{'orelse',{is_atom,'$1'},{'<','$1',0}}],['$1']}]"#,
        r#"[{a},{-1},{1},{"x"}]"#,
        r#"[a,-1]"#,
    ),
    (
        r#"[{{'$1'},[],[{'andalso','$1',x,false}]}]"#,
        r#"[{true},{false},{a}]"#,
        r#"['EXIT',false,'EXIT']"#,
    ),
    (
        r#"[{{'$1'},[],[{'andalso','$1',x}]}]"#,
        r#"[{true},{false},{a}]"#,
        r#"[x,false,'EXIT']"#,
    ),
    (
        r#"[{{'$1'},[],[{'orelse','$1',5}]}]"#,
        r#"[{true},{false},{a}]"#,
        r#"[true,5,'EXIT']"#,
    ),
    (
        r#"[{{'$1','$2'},[],[{'and','$1','$2'}]}]"#,
        r#"[{true,false},{true,true},{true,a},{false,a}]"#,
        r#"[false,true,'EXIT','EXIT']"#,
    ),
    (
        r#"[{{'$1','$2'},[],[{'or','$1','$2',false}]}]"#,
        r#"[{true,false},{false,false},{false,a},{true,a}]"#,
        r#"[true,false,'EXIT','EXIT']"#,
    ),
    (
        r#"[{{'$1','$2'},[{'or','$1','$2'}],[ok]}]"#,
        r#"[{true,false},{false,false},{true,a}]"#,
        r#"[ok]"#,
    ),
    (
        r#"[{{'$1'},[{'not',{is_list,'$1'}}],['$1']}]"#,
        r#"[{[]},{[a]},{a}]"#,
        r#"[a]"#,
    ),
    (
        r#"[{{'$1','$2'},[],[{'xor','$1','$2'}]}]"#,
        r#"[{true,false},{true,true},{true,a}]"#,
        r#"[true,false,'EXIT']"#,
    ),
    (
        r#"[{{'$1'},[],[{{x,'$1',{{y}},[z,'$1'],{const,{'$1'}}}}]}]"#,
        r#"[{1}]"#,
        r#"[{x,1,{y},[z,1],{'$1'}}]"#,
    ),
    (r#"[{{'$1'},[],[{const,'$1'}]}]"#, r#"[{1}]"#, r#"['$1']"#),
    (r#"[{{'$1'},[],[[]]}]"#, r#"[{1}]"#, r#"[[]]"#),
    (r#"[{{'$1'},[],[{{}}]}]"#, r#"[{1}]"#, r#"[{}]"#),
    (
        r#"[{{'$1'},[],["constant"]}]"#,
        r#"[{1}]"#,
        r#"[[99,111,110,115,116,97,110,116]]"#,
    ),
    (
        r#"[{{'$1'},[],[#{a => '$1', '$1' => {{b}}}]}]"#,
        r#"[{1},{a}]"#,
        r#"[#{1 => {b},a => 1},#{a => a}]"#,
    ),
    (
        r#"[{{'$1'},[],[{element,2,'$1'}]}]"#,
        r#"[{{a,b}},{{a}},{b}]"#,
        r#"[b,'EXIT','EXIT']"#,
    ),
    (
        r#"[{{'$1'},[{element,2,'$1'}],[ok]}]"#,
        r#"[{{a,true}},{{a}},{b},{{a,b}}]"#,
        r#"[ok]"#,
    ),
    (
        r#"[{{'$1'},[],[{hd,'$1'},{tl,'$1'}]}]"#,
        r#"[{[1,2]},{[]}]"#,
        r#"[[2],'EXIT']"#,
    ),
    (
        r#"[{{'$1'},[],[{length,'$1'}]}]"#,
        r#"[{[1,2]},{[]},{[1|2]},{a}]"#,
        r#"[2,0,'EXIT','EXIT']"#,
    ),
    (
        r#"[{{'$1'},[],[{size,'$1'}]}]"#,
        r#"[{{a,b}},{<<"abc">>},{[]}]"#,
        r#"[2,3,'EXIT']"#,
    ),
    (
        r#"[{{'$1'},[],[{map_size,'$1'}]}]"#,
        r#"[{#{a => b}},{a}]"#,
        r#"[1,'EXIT']"#,
    ),
    (
        r#"[{{'$1'},[],[{map_get,a,'$1'}]}]"#,
        r#"[{#{a => b}},{#{}},{a}]"#,
        r#"[b,'EXIT','EXIT']"#,
    ),
    (
        r#"[{{'$1'},[],[{is_map_key,a,'$1'}]}]"#,
        r#"[{#{a => b}},{#{}},{a}]"#,
        r#"[true,false,'EXIT']"#,
    ),
    (
        r#"[{{'$1'},[],[{byte_size,'$1'},{bit_size,'$1'}]}]"#,
        r#"[{<<"abc">>},{a}]"#,
        r#"[24,'EXIT']"#,
    ),
    (
        r#"[{{'$1'},[],[{binary_part,'$1',1,2}]}]"#,
        r#"[{<<"abcd">>},{<<"ab">>}]"#,
        r#"[<<98,99>>,'EXIT']"#,
    ),
    (
        r#"[{{'$1'},[],[{binary_part,'$1',{{2,-1}}}]}]"#,
        r#"[{<<"abcd">>},{<<"a">>}]"#,
        r#"[<<98>>,'EXIT']"#,
    ),
    (
        r#"[{{'$1'},[],[{abs,'$1'}]}]"#,
        r#"[{-1},{2},{-2.5},{a}]"#,
        r#"[1,2,2.5,'EXIT']"#,
    ),
    (
        r#"[{{'$1'},[],[{round,'$1'}]}]"#,
        r#"[{1.5},{-1.5},{3},{a}]"#,
        r#"[2,-2,3,'EXIT']"#,
    ),
    (
        r#"[{{'$1'},[],[{trunc,'$1'}]}]"#,
        r#"[{1.5},{-1.5},{3},{a}]"#,
        r#"[1,-1,3,'EXIT']"#,
    ),
    (
        r#"[{{'$1'},[],[{float,'$1'}]}]"#,
        r#"[{1},{2.0},{a}]"#,
        r#"[1.0,2.0,'EXIT']"#,
    ),
    (
        r#"[{{'$1','$2'},[],[[{'+','$1','$2'},{'-','$1','$2'},{'*','$1','$2'},{'/','$1','$2'},{'div','$1','$2'},{'rem','$1','$2'}]]}]"#,
        r#"[{7,2},{7,0},{a,1},{-7,2}]"#,
        r#"[[9,5,14,3.5,3,1],[7,7,0,'EXIT','EXIT','EXIT'],['EXIT','EXIT','EXIT','EXIT','EXIT','EXIT'],[-5,-9,-14,-3.5,-3,-1]]"#,
    ),
    (
        r#"[{{'$1','$2'},[],[[{'band','$1','$2'},{'bor','$1','$2'},{'bxor','$1','$2'},{'bsl','$1','$2'},{'bsr','$1','$2'},{'bnot','$1'}]]}]"#,
        r#"[{12,2},{-12,2},{a,1}]"#,
        r#"[[0,14,14,48,3,-13],[0,-10,-10,-48,-3,11],['EXIT','EXIT','EXIT','EXIT','EXIT','EXIT']]"#,
    ),
    (
        r#"[{{'$1'},[],[[{'+','$1'},{'-','$1'}]]}]"#,
        r#"[{1},{2.5},{a}]"#,
        r#"[[1,-1],[2.5,-2.5],['EXIT','EXIT']]"#,
    ),
    (
        r#"[{{'$1'},[{is_atom,'$1'}],[atom]},{{'$1'},[{is_integer,'$1'}],[integer]},{{'$1'},[{is_float,'$1'}],[float]},{{'$1'},[{is_list,'$1'}],[list]},{{'$1'},[{is_tuple,'$1'}],[tuple]},{{'$1'},[{is_map,'$1'}],[map]},{{'$1'},[{is_binary,'$1'}],[binary]}]"#,
        r#"[{a},{1},{1.0},{[]},{"x"},{{}},{#{}},{<<"b">>}]"#,
        r#"[atom,integer,float,list,list,tuple,map,binary]"#,
    ),
    (
        r#"[{{'$1'},[{is_record,'$1',r,2}],[yes]}]"#,
        r#"[{{r,1}},{{r}},{{s,1}},{a}]"#,
        r#"[yes]"#,
    ),
    (
        r#"[{{'$1'},[],[{is_function,'$1'},{is_pid,'$1'},{is_port,'$1'},{is_reference,'$1'},{is_number,'$1'}]}]"#,
        r#"[{1},{a}]"#,
        r#"[true,false]"#,
    ),
    (
        r#"[{{'$1'},[true,{const,true}],['$1']}]"#,
        r#"[{1}]"#,
        r#"[1]"#,
    ),
    (r#"[{{'$1'},[false],['$1']}]"#, r#"[{1}]"#, r#"[]"#),
    (r#"[{{'$1'},[5],['$1']}]"#, r#"[{1}]"#, r#"[]"#),
    (
        r#"[{{'$1'},['$1'],[hit]}]"#,
        r#"[{true},{false},{1}]"#,
        r#"[hit]"#,
    ),
    (
        r#"[{{'$1','$2'},[{'>',{'+','$1','$2'},10}],[{{'$1',{{sum,{'+','$1','$2'}}}}}]}]"#,
        r#"[{5,6},{1,2},{a,1}]"#,
        r#"[{5,{sum,11}}]"#,
    ),
    (
        r#"[{{'$1'},[{'and',true,{'or',false,{is_atom,'$1'}}}],['$1']}]"#,
        r#"[{a},{1}]"#,
        r#"[a]"#,
    ),
    (
        r#"[{{'$1'},[],[{node}]}]"#,
        r#"[{1}]"#,
        r#"[nonode@nohost]"#,
    ),
    (
        r#"[{{'$0','$1'},[],[{{'$1','$0'}}]}]"#,
        r#"[{1,2}]"#,
        r#"[{2,1}]"#,
    ),
    (
        r#"[{{'$01','$x'},[],['$_']}]"#,
        r#"[{'$01','$x'},{1,2}]"#,
        r#"[{'$01','$x'}]"#,
    ),
    (
        r#"[{[],[],[nil]},{foo,[],[foo]}]"#,
        r#"[[],foo,bar]"#,
        r#"[nil,foo]"#,
    ),
    (
        r#"[{{{{{'$1'}}}},[],['$1']}]"#,
        r#"[{{{{7}}}},{{{7}}}]"#,
        r#"[7]"#,
    ),
    (
        r#"[{{[['$1'|'$2']|'$3']},[],['$$']}]"#,
        r#"[{[[1]]},{[[1,2],3]},{[1]}]"#,
        r#"[[1,[],[]],[1,[2],[3]]]"#,
    ),
    (
        r#"[{{a,'$1'},[],['$1']},{{b,'$1','$2'},[],['$2']}]"#,
        r#"[{a,1},{b,1,2},{c,1}]"#,
        r#"[1,2]"#,
    ),
];

/// Terms that are not match specifications, and what `erlang:match_spec_test/3` says about them.
const COMPLAINTS: &[(&str, &[&str])] = &[
    (r#"foo"#, &[r#"Match programs are not in a list."#]),
    (
        r#"[foo]"#,
        &[r#"Match program part is not a tuple of arity 3."#],
    ),
    (
        r#"[{a,[]}]"#,
        &[r#"Match program part is not a tuple of arity 3."#],
    ),
    (
        r#"[{a,[],[]}]"#,
        &[r#"Body clause does not return anything."#],
    ),
    (
        r#"[{a,[],x}]"#,
        &[r#"Body clause does not return anything."#],
    ),
    (
        r#"[{a,[],[x|y]}]"#,
        &[r#"Match expression is not a proper list."#],
    ),
    (r#"[{a,x,[y]}]"#, &[r#"Match expression is not a list."#]),
    (
        r#"[{a,[x|y],[y]}]"#,
        &[r#"Match expression is not a proper list."#],
    ),
    (r#"[{'$1',[],['$2']}]"#, &[r#"Variable $2 is unbound."#]),
    (
        r#"[{'$1',[{no_such_function,'$1'}],['$1']}]"#,
        &[r#"Function no_such_function/1 does_not_exist."#],
    ),
    (
        r#"[{'$1',[{element,1}],['$1']}]"#,
        &[r#"Function element/1 does_not_exist."#],
    ),
    (
        r#"[{'$1',[],[{a,b}]}]"#,
        &[r#"Function a/1 does_not_exist."#],
    ),
    (
        r#"[{'$1',[],[{}]}]"#,
        &[r#"{} is neither a function call, nor a tuple (tuples are written {{ ... }})."#],
    ),
    (
        r#"[{'$1',[],[{{a},b}]}]"#,
        &[r#"{{a},b} is neither a function call, nor a tuple (tuples are written {{ ... }})."#],
    ),
    (
        r#"[{'$1',[{'$1',b}],[x]}]"#,
        &[r#"{'$1',b} is neither a function call, nor a tuple (tuples are written {{ ... }})."#],
    ),
    (
        r#"[{'$1',[{'and'}],[x]}]"#,
        &[r#"Special form 'and' called without arguments in {and}."#],
    ),
    (
        r#"[{'$1',[{'andalso'}],[x]}]"#,
        &[r#"Special form 'andalso' called without arguments in {andalso}."#],
    ),
    (
        r#"[{'$1',[{const,a,b}],[x]}]"#,
        &[r#"Special form 'const' called with more than one argument in {const,a,b}."#],
    ),
    (
        r#"[{'$1',[{return_trace}],[x]}]"#,
        &[r#"Special form 'return_trace' used in wrong dialect."#],
    ),
    (
        r#"[{'$1',[],[{message,a}]}]"#,
        &[r#"Special form 'message' used in wrong dialect."#],
    ),
    (
        r#"[{{#{'$1' => a}},[],[x]}]"#,
        &[r#"Variable found in map key."#],
    ),
    (
        r#"[{{#{'_' => a}},[],[x]}]"#,
        &[r#"Underscore found in map key."#],
    ),
    (
        r#"[{'$1',[],[#{a => '$2'}]}]"#,
        &[r#"Variable $2 is unbound."#],
    ),
    (r#"[{'$1',[],['$2',ok]}]"#, &[r#"Variable $2 is unbound."#]),
    (
        r#"[{'$1',[{is_boolean,'$1'}],[x]}]"#,
        &[r#"Function is_boolean/1 does_not_exist."#],
    ),
    (
        r#"[{'$1',[{self,1}],[x]}]"#,
        &[r#"Special form 'self' called with arguments in {self,1}."#],
    ),
    (
        r#"[{'$1',[{is_seq_trace}],[x]}]"#,
        &[r#"Special form 'is_seq_trace' used in wrong dialect."#],
    ),
    (
        r#"[{'$1',[{is_function,'$1',1}],[x]}]"#,
        &[r#"Function is_function/2 does_not_exist."#],
    ),
    (
        r#"[{'$1',[{tuple_size,'$1'}],[x]}]"#,
        &[r#"Function tuple_size/1 does_not_exist."#],
    ),
    (
        r#"[{{'$1'},[{nofun,'$2'},{'and'}],['$3']}]"#,
        &[
            r#"Function nofun/1 does_not_exist."#,
            r#"Special form 'and' called without arguments in {and}."#,
            r#"Variable $3 is unbound."#,
        ],
    ),
    (
        r#"[{a,[],[b]}|c]"#,
        &[r#"Match programs are not in a proper list."#],
    ),
    (
        r#"[{'$1',[{x,y,z}],[{{a,{b,c}}}]},{'$1',[q|w],[e]}]"#,
        &[
            r#"Function x/2 does_not_exist."#,
            r#"Function b/1 does_not_exist."#,
        ],
    ),
];

fn compile(specification: Term) -> Option<Program> {
    Program::compile(&sources(specification).ok()?).ok()
}

#[test]
fn specifications_answer_what_otp_answers() {
    for (specification, subjects, expected) in CASES {
        let mut terms = Terms::new();
        let program = compile(terms.read(specification)).expect(specification);
        let mut interpreter = Interpreter::new(&program, Term::local_pid(1, 0));
        let mut results = Vec::new();
        for subject in list::to_vec(terms.read(subjects)).expect(subjects) {
            if let Some(result) = interpreter.run(&program, subject) {
                results.push(term::copy::copy(terms.heap(), result));
            }
        }
        let found = build::list(terms.heap(), &results);
        assert_same(found, terms.read(expected), specification);
    }
}

#[test]
fn invalid_specifications_are_refused() {
    for (specification, _) in COMPLAINTS {
        let mut terms = Terms::new();
        let term = terms.read(specification);
        assert!(compile(term).is_none(), "{specification}");
    }
}

#[test]
fn a_program_outlives_the_terms_it_was_made_of() {
    let program = {
        let mut terms = Terms::new();
        let specification = terms.read(r#"[{{"abc",'$1'},[],[{{'$1',[<<"xyz">>|"tail"]}}]}]"#);
        compile(specification).expect("valid")
    };
    let mut terms = Terms::new();
    let mut interpreter = Interpreter::new(&program, Term::NIL);
    let found = interpreter.run(&program, terms.read(r#"{"abc",5}"#));
    let expected = terms.read(r#"{5,[<<"xyz">>|"tail"]}"#);
    assert_same(found.expect("a match"), expected, "constants");
}

#[test]
fn depth_and_length_need_no_native_stack() {
    let size = crate::tests::amount(300_000, 100) as usize;
    let mut terms = Terms::new();
    let heap = terms.heap();
    let variable = term::atom::known("$1");
    let (mut pattern, mut subject) = (variable, Term::small(7));
    let mut body = variable;
    for _ in 0..size {
        pattern = build::tuple(heap, &[pattern]);
        subject = build::tuple(heap, &[subject]);
        let inner = build::tuple(heap, &[body]);
        body = build::tuple(heap, &[inner]);
    }
    let long = vec![term::am::UNDERSCORE; size];
    let pattern = build::list_with_tail(heap, &long, pattern);
    let long = vec![Term::small(0); size];
    let subject = build::list_with_tail(heap, &long, subject);
    let body = build::list(heap, &[body]);
    let clause = build::tuple(heap, &[pattern, Term::NIL, body]);
    let specification = build::list(heap, &[clause]);
    let program = compile(specification).expect("valid");
    let mut interpreter = Interpreter::new(&program, Term::NIL);
    let mut result = interpreter.run(&program, subject).expect("a match");
    let mut depth = 0;
    while let Some([inner]) = result.as_tuple_of() {
        result = inner;
        depth += 1;
    }
    assert_eq!((depth, result), (size, Term::small(7)));
}

#[test]
fn replacing_keeps_the_key() {
    let kept = [
        "[{{'$1','$2'},[],[{{'$1',x}}]}]",
        "[{{a,'_'},[],[{{a,x}}]}]",
        "[{{'_','$2'},[],['$_']}]",
        "[{{'_','$2'},[],[{{{element,1,'$_'},x}}]}]",
        "[{{{k,'$1'},'_'},[],[{{{{k,'$1'}},x}}]}]",
        "[{{{k,1},'_'},[],[{const,{{k,1},x}}]}]",
        "[{{[a|'$1'],'_'},[],[{{[a|'$1'],x}}]}]",
    ];
    let lost = [
        "[{{'$1','$2'},[],[{{'$2',x}}]}]",
        "[{{'$1','$2'},[],['$1']}]",
        "[{{'_','$2'},[],[{{'_',x}}]}]",
        "[{{'$1','$2'},[],[{const,{'$1',x}}]}]",
        "[{{'$1','$2'},[],[a,{{'$1',x}}]}]",
        "[{{#{k => '$1'},'_'},[],[{{#{k => '$1'},x}}]}]",
        "[{{a,'_'},[],[{{{element,2,'$_'},x}}]}]",
        "['$1',[],['$1']]",
    ];
    for (specification, expected) in kept
        .iter()
        .map(|text| (text, true))
        .chain(lost.iter().map(|text| (text, false)))
    {
        let mut terms = Terms::new();
        let found = sources(terms.read(specification)).is_ok_and(|sources| {
            sources
                .iter()
                .all(|source| replace_check::keeps_key(source, 1))
        });
        assert_eq!(found, expected, "{specification}");
    }
}

#[test]
fn complaints_are_in_the_words_of_otp() {
    for (specification, expected) in COMPLAINTS {
        let mut terms = Terms::new();
        let found =
            super::compile_aloud(terms.read(specification), super::Dialect::Table).map(|_| ());
        let expected: Vec<String> = expected.iter().map(|text| (*text).to_owned()).collect();
        assert_eq!(found, Err(expected), "{specification}");
    }
}
