//! What the dashboard shows of processes, tables, ports and the rest of a real node. With OTP 25.

#[allow(dead_code, reason = "other tests use all of it")]
mod dashboard {
    pub(crate) mod client;
}

use std::time::{Duration, Instant};

use dashboard::client::{Node, number, rows, shown, shown_when};
use serde_json::Value;

const MANY: &str = r#"
    [spawn(fun() -> receive stop -> ok end end) || _ <- lists:seq(1, 3000)],
    Flooded = spawn(fun() -> register(flooded, self()), receive stop -> ok end end),
    [Flooded ! {message, Number} || Number <- lists:seq(1, 5000)],
    Holder = spawn(fun() -> put(held, binary:copy(<<"x">>, 5_000_000)), register(holder, self()),
        receive stop -> ok end end),
    Large = spawn(fun() -> put(list, lists:seq(1, 1_000_000)), register(large, self()), receive stop -> ok end end),
    Hot = fun Loop() -> Loop() end,
    proc_lib:spawn(fun() -> register(hot, self()), put('$process_label', {hot, 1}), Hot() end),
    Await = fun Await(Name) -> whereis(Name) =/= undefined orelse begin timer:sleep(10), Await(Name) end end,
    [Await(Name) || Name <- [flooded, holder, large, hot]],
    register(ready, spawn(fun() -> receive stop -> ok end end)),
    timer:sleep(infinity)"#;

fn many() -> Node {
    let node = Node::run(MANY, &["+S", "2:2"]);
    shown_when(&node, "processes?filter=ready", |page| {
        number(&page["matched"]) == 1
    });
    node
}

/// The names of the first processes.
fn names(page: &Value) -> Vec<&str> {
    rows(page)
        .iter()
        .map(|row| row["name"].as_str().unwrap_or("-"))
        .collect()
}

#[test]
fn processes_are_sorted_filtered_grouped_and_paged() {
    let node = many();
    let page = shown(&node, "processes?sort=queue&rows=2");
    assert_eq!(names(&page)[0], "flooded");
    assert_eq!(number(&rows(&page)[0]["messages"]), 5000);
    assert!(number(&page["total"]) >= 3005, "{page:#}");
    let page = shown(&node, "processes?sort=memory&rows=1");
    assert_eq!(names(&page), ["large"]);
    assert!(
        number(&rows(&page)[0]["memory_bytes"]) > 15_000_000,
        "{page:#}"
    );
    let page = shown(&node, "processes?sort=binaries&rows=1");
    assert_eq!(names(&page), ["holder"]);
    assert!(
        number(&rows(&page)[0]["binary_bytes"]) >= 5_000_000,
        "{page:#}"
    );
    // The process that always runs is asked through its own thread, which a busy host may keep from answering in time.
    let is_hot =
        |page: &Value| names(page) == ["hot"] && rows(page)[0]["reductions_per_s"].is_number();
    let page = shown_when(&node, "processes?sort=reductions_rate&rows=1", is_hot);
    assert!(
        rows(&page)[0]["reductions_per_s"].as_f64().unwrap() > 10_000.0,
        "{page:#}"
    );
    assert_eq!(rows(&page)[0]["label"], "{hot,1}");
    let page = shown(&node, "processes?filter=FLOO");
    assert_eq!(
        (names(&page), number(&page["matched"])),
        (vec!["flooded"], 1)
    );
    let page = shown(&node, "processes?group=current&sort=count&rows=3");
    let group = &rows(&page)[0];
    assert!(number(&group["count"]) >= 3000, "{page:#}");
    // Each page has other processes, and all together are all.
    let mut pids = Vec::new();
    for number in 0..7 {
        let page = shown(
            &node,
            &format!("processes?sort=memory&order=asc&rows=500&page={number}"),
        );
        pids.extend(
            rows(&page)
                .iter()
                .map(|row| row["pid"].as_str().unwrap().to_owned()),
        );
    }
    pids.sort_unstable();
    let count = pids.len();
    pids.dedup();
    assert!(
        count >= 3005 && pids.len() == count,
        "{count} rows, {} processes",
        pids.len()
    );
    for wrong in [
        "sort=name",
        "rows=0",
        "rows=100000",
        "order=up",
        "group=x",
        "page=-1",
    ] {
        let answer = node.get(&format!("/api/v1/processes?{wrong}"), &[]);
        assert_eq!(answer.status, 400, "{wrong}: {}", answer.body);
    }
}

#[test]
fn a_process_is_shown_with_what_it_holds_and_a_sensitive_one_is_not() {
    let expression = r#"
        Table = ets:new(a_table, [public, ordered_set]), ets:insert(Table, {1, 2}),
        Wait = fun() -> receive {never, _} -> ok end end,
        Make = fun(Name, Sensitive) -> spawn(fun() ->
            process_flag(sensitive, Sensitive), process_flag(trap_exit, true), link(whereis(kernel_sup)),
            monitor(process, init), put(secret, lists:seq(1, 100000)), put(<<27, "[31m">>, '<b>'),
            ets:new(own_table, [named_table || not Sensitive]), self() ! {a_message, "text"},
            register(Name, self()), Wait() end) end,
        Make(open, false), Make(hidden, true),
        Await = fun Await(Name) -> whereis(Name) =/= undefined orelse begin timer:sleep(10), Await(Name) end end,
        [Await(Name) || Name <- [open, hidden]],
        register(ready, spawn(fun() -> receive stop -> ok end end)),
        timer:sleep(infinity)"#;
    let node = Node::run(expression, &[]);
    shown_when(&node, "processes?filter=ready", |page| {
        number(&page["matched"]) == 1
    });
    let waits = |page: &Value| page["status"] == "waiting" && number(&page["messages"]) == 1;
    let page = shown_when(&node, "process/open", waits);
    assert_eq!(page["is_known"], true);
    assert_eq!(page["flags"]["trap_exit"], true);
    assert_eq!(page["queue_head"][0], "{a_message,\"text\"}");
    assert_eq!(page["tables"][0], "own_table");
    assert_eq!(page["monitors"].as_array().unwrap().len(), 1, "{page:#}");
    assert_eq!(page["links"].as_array().unwrap().len(), 1, "{page:#}");
    assert!(!page["stack"].as_array().unwrap().is_empty(), "{page:#}");
    let dictionary = page["dictionary"].to_string();
    assert!(
        dictionary.len() < 3000 && dictionary.contains("[1,2,3,"),
        "{dictionary}"
    );
    // What controls a terminal is not passed on.
    assert!(!page.to_string().contains("\\u001b"), "{page:#}");
    let pid = page["pid"].as_str().unwrap();
    let again = shown(
        &node,
        &format!("process/{}", pid.replace('<', "%3C").replace('>', "%3E")),
    );
    assert_eq!(again["name"], "open");
    let page = shown_when(&node, "process/hidden", waits);
    for part in ["stack", "dictionary", "queue_head", "ancestors"] {
        assert_eq!(page[part].as_array().unwrap().len(), 0, "{part}: {page:#}");
    }
    assert!(!page.to_string().contains("secret"), "{page:#}");
    for gone in ["0.4000.7", "nobody", "%3Cx", "0.999999999.0"] {
        assert_eq!(
            node.get(&format!("/api/v1/process/{gone}"), &[]).status,
            404,
            "{gone}"
        );
    }
}

/// All nodes of a tree.
fn flattened(nodes: &[Value]) -> Vec<&Value> {
    let below = nodes
        .iter()
        .flat_map(|node| flattened(node["children"].as_array().unwrap()));
    nodes.iter().chain(below).collect()
}

#[test]
fn supervision_tables_ports_modules_atoms_and_timers_are_shown() {
    let expression = r#"
        {ok, Listening} = gen_tcp:listen(0, [{ip, {127, 0, 0, 1}}]), {ok, Port} = inet:port(Listening),
        {ok, Client} = gen_tcp:connect({127, 0, 0, 1}, Port, []), {ok, _} = gen_tcp:accept(Listening),
        ok = gen_tcp:send(Client, lists:duplicate(1000, $x)),
        Table = ets:new(large_table, [named_table, public]),
        [ets:insert(Table, {Number, x}) || Number <- lists:seq(1, 20000)],
        [erlang:send_after(1000000, self(), x) || _ <- lists:seq(1, 500)],
        list_to_atom("a_new_atom_" ++ [16#202e, $<]),
        register(ready, spawn(fun() -> receive stop -> ok end end)), timer:sleep(infinity)"#;
    let node = Node::run(expression, &[]);
    shown_when(&node, "processes?filter=ready", |page| {
        number(&page["matched"]) == 1
    });
    let trees = shown(&node, "supervision");
    let kernel = rows(&trees)
        .iter()
        .find(|row| row["application"] == "kernel");
    let kernel = kernel.unwrap_or_else(|| panic!("{trees:#}"));
    assert_eq!(kernel["kind"], "application");
    let below = flattened(kernel["children"].as_array().unwrap());
    let named = |name: &str| below.iter().find(|node| node["name"] == name).copied();
    let top = named("kernel_sup").unwrap_or_else(|| panic!("{trees:#}"));
    assert_eq!(
        (&top["kind"], &top["initial_call"]),
        (&"supervisor".into(), &"supervisor:kernel/1".into())
    );
    assert_eq!(named("file_server_2").unwrap()["kind"], "worker");
    let tables = shown(&node, "tables");
    let table = rows(&tables)
        .iter()
        .find(|row| row["name"] == "large_table")
        .unwrap();
    assert_eq!(
        (number(&table["objects"]), &table["protection"]),
        (20_000, &"public".into())
    );
    assert!(number(&table["memory_bytes"]) > 20_000 * 16, "{table:#}");
    let ports = shown(&node, "ports");
    let sockets: Vec<&Value> = rows(&ports)
        .iter()
        .filter(|row| row["protocol"] == "tcp")
        .collect();
    assert_eq!(sockets.len(), 3, "{ports:#}");
    let sender = sockets
        .iter()
        .find(|row| number(&row["output_bytes"]) == 1000)
        .unwrap();
    assert!(
        sender["peer"].as_str().unwrap().starts_with("127.0.0.1:"),
        "{sender:#}"
    );
    let pages = |path: &str| -> Vec<String> {
        let page = shown(&node, path);
        let names = rows(&page)
            .iter()
            .map(|row| row["name"].as_str().unwrap().to_owned());
        names.collect()
    };
    let found = pages("modules?filter=LISTS&sort=name&order=asc");
    assert_eq!(found, ["lists", "proplists"]);
    assert_eq!(pages("tables?sort=objects&rows=1"), ["large_table"]);
    let all = pages("modules?sort=name&order=asc&rows=7");
    let next = pages("modules?sort=name&order=asc&rows=3&page=1");
    assert_eq!(&all[3..6], &next);
    assert!(all.is_sorted(), "{all:?}");
    for wrong in [
        "modules?sort=size",
        "ports?rows=0",
        "tables?order=up",
        "nodes?page=x",
        "log?sort=time",
    ] {
        assert_eq!(
            node.get(&format!("/api/v1/{wrong}"), &[]).status,
            400,
            "{wrong}"
        );
    }
    let modules = shown(&node, "modules");
    let lists = rows(&modules)
        .iter()
        .find(|row| row["name"] == "lists")
        .unwrap();
    assert!(
        number(&lists["exports"]) > 50 && number(&lists["code_bytes"]) > 1000,
        "{lists:#}"
    );
    let atoms = shown(&node, "atoms");
    assert!(
        number(&atoms["total"]) > 5000 && number(&atoms["limit"]) == 1_048_576,
        "{atoms:#}"
    );
    let newest = rows(&atoms)
        .iter()
        .find(|row| row["text"].as_str().unwrap().contains("a_new_atom"));
    assert_eq!(newest.unwrap()["text"], "'a_new_atom_\\x{202E}<'");
    let timers = shown(&node, "timers");
    let count: u64 = rows(&timers).iter().map(|row| number(&row["timers"])).sum();
    assert!((500..600).contains(&count), "{timers:#}");
    assert_eq!(shown(&node, "nodes")["total"], 0);
}

/// Nobody is left to answer for its processes: what is at rest is shown, and who runs is named.
#[test]
fn processes_are_shown_while_all_schedulers_are_stuck() {
    let expression = r#"
        [spawn(fun() -> receive stop -> ok end end) || _ <- lists:seq(1, 1000)],
        erts_debug:set_internal_state(available_internal_state, true),
        [spawn_opt(
            fun() -> register(Name, self()), erts_debug:set_internal_state(block_scheduler, 20000) end,
            [{scheduler, Number}]) || {Name, Number} <- [{stuck_one, 1}, {stuck_two, 2}]],
        timer:sleep(infinity)"#;
    let node = Node::run(expression, &["+S", "2:2"]);
    let are_stuck = |page: &Value| {
        let running = page["running"].as_array().unwrap();
        running
            .iter()
            .filter(|row| {
                row["name"]
                    .as_str()
                    .is_some_and(|name| name.starts_with("stuck"))
            })
            .count()
            == 2
    };
    let page = shown_when(&node, "processes?sort=memory&rows=5", are_stuck);
    assert!(number(&page["matched"]) >= 1000, "{page:#}");
    assert_eq!(rows(&page).len(), 5);
    let since = Instant::now();
    let page = shown(&node, "process/stuck_one");
    assert_eq!(
        (&page["is_known"], &page["status"]),
        (&false.into(), &"running".into())
    );
    assert_eq!(shown(&node, "process/init")["name"], "init");
    assert!(number(&shown(&node, "tables")["total"]) > 5);
    assert!(
        rows(&shown(&node, "supervision"))
            .iter()
            .any(|row| row["application"] == "kernel")
    );
    assert!(
        since.elapsed() < Duration::from_secs(5),
        "{:?}",
        since.elapsed()
    );
}

#[test]
fn who_sends_to_a_process_is_told() {
    let expression = r#"
        Receiver = spawn(fun() -> register(receiver, self()), (fun Loop() -> receive _ -> Loop() end end)() end),
        Send = fun(Name, Pause) -> spawn(fun() -> register(Name, self()),
            (fun Loop() -> Receiver ! hello, timer:sleep(Pause), Loop() end)() end) end,
        Send(often, 1), Send(seldom, 100), timer:sleep(infinity)"#;
    let node = Node::run(expression, &[]);
    let is_known = |page: &Value| {
        let senders = page["senders"]["largest"].as_array().unwrap();
        number(&page["senders"]["messages"]) >= 10 && senders.len() == 2
    };
    shown_when(&node, "processes?filter=seldom", |page| {
        number(&page["matched"]) == 1
    });
    let page = shown_when(&node, "process/receiver", is_known);
    let largest = &page["senders"]["largest"][0];
    assert_eq!(largest["name"], "often", "{page:#}");
    assert!(number(&largest["share_percent"]) > 50, "{page:#}");
    assert!(number(&page["senders"]["messages"]) <= 500, "{page:#}");
    // It is not the memory guard that has marked it.
    assert_eq!(page["flags"]["is_flooded"], false);
}

#[test]
fn sockets_that_are_no_ports_are_shown() {
    let expression = r#"
        Address = #{family => inet, addr => {127, 0, 0, 1}},
        {ok, Listening} = socket:open(inet, stream, tcp), ok = socket:bind(Listening, Address#{port => 0}),
        ok = socket:listen(Listening), {ok, #{port := Port}} = socket:sockname(Listening),
        {ok, Client} = socket:open(inet, stream, tcp), ok = socket:connect(Client, Address#{port => Port}),
        {ok, Server} = socket:accept(Listening), ok = socket:send(Client, binary:copy(<<"x">>, 1000)),
        {ok, _} = socket:recv(Server, 1000), {ok, Closed} = socket:open(inet, dgram, udp), ok = socket:close(Closed),
        put(sockets, [Listening, Client, Server]),
        #{now := #{sockets := 3}, totals := #{socket_input := 1000, socket_output := 1000}} =
            erlang:system_info({ferl, figures}),
        register(holder, self()), timer:sleep(infinity)"#;
    let node = Node::run(expression, &[]);
    let is_held = |list: &Value| {
        rows(list)
            .iter()
            .any(|row| row["owner_name"] == "holder" && number(&row["input_bytes"]) == 1000)
    };
    let list = shown_when(&node, "sockets?sort=input_bytes", is_held);
    assert_eq!(
        (&list["total"], &list["matched"]),
        (&3.into(), &3.into()),
        "{list:#}"
    );
    let [server, ..] = rows(&list) else {
        panic!("{list:#}");
    };
    assert_eq!(
        (&server["status"], &server["kind"]),
        (&"connected".into(), &"stream".into())
    );
    assert!(
        server["peer"].as_str().unwrap().starts_with("127.0.0.1:"),
        "{server:#}"
    );
    let listening = shown(&node, "sockets?filter=LISTEN");
    assert_eq!(listening["matched"], 1);
    assert_eq!(rows(&listening)[0]["peer"], Value::Null);
    let sent = shown(&node, "sockets?sort=output_bytes&rows=1");
    assert_eq!(rows(&sent)[0]["output_bytes"], 1000);
}

/// What many references of one process refer to is there once, however many they are.
#[test]
fn binaries_are_counted_by_the_share_of_who_holds_them() {
    let expression = r#"
        Holder = spawn(fun() -> register(holder, self()), Keep = fun Keep(Kept) ->
            receive {keep, Binary} -> Keep([Binary | Kept]); {done, From} -> From ! ok, Keep(Kept) end end, Keep([]) end),
        Binary = binary:copy(<<"x">>, 10_000),
        [Holder ! {keep, Binary} || _ <- lists:seq(1, 30_000)], Holder ! {done, self()}, receive ok -> ok end,
        register(ready, spawn(fun() -> receive stop -> ok end end)), timer:sleep(infinity)"#;
    let node = Node::run(expression, &[]);
    shown_when(&node, "processes?filter=ready", |page| {
        number(&page["matched"]) == 1
    });
    let page = shown(&node, "processes?filter=holder");
    let bytes = number(&rows(&page)[0]["binary_bytes"]);
    assert!((5_000..=20_000).contains(&bytes), "{page:#}");
    let page = shown(&node, "process/holder");
    let held = number(&page["holdings"]["binary_bytes"]);
    assert!((5_000..=20_000).contains(&held), "{page:#}");
}

/// Runs each kind of message for a second, and tells how many of them were measured, and how long the oldest waits.
const AGES: &str = r#"
    Measured = fun() -> #{histograms := #{message_age := #{count := Count}}} =
        erlang:system_info({ferl, figures}), Count end,
    Run = fun Run(Kind, End) -> Kind(), erlang:monotonic_time(millisecond) < End andalso Run(Kind, End) end,
    Found = [begin Before = Measured(), Run(Kind, erlang:monotonic_time(millisecond) + 1000),
        {Name, Measured() - Before} end || {Name, Kind} <- Kinds],
    #{now := #{message_oldest := Oldest}} = erlang:system_info({ferl, figures}),
    [put(Name, Count) || {Name, Count} <- [{oldest, Oldest} | Found]],
    register(measurer, self()), timer:sleep(infinity)"#;

/// What [`AGES`] tells of these kinds.
fn ages(kinds: &str, flags: &[&str]) -> impl Fn(&str) -> u64 + use<> {
    let node = Node::run(&format!("{kinds}, {AGES}"), flags);
    shown_when(&node, "processes?filter=measurer", |page| {
        number(&page["matched"]) == 1
    });
    let page = shown(&node, "process/measurer");
    assert_eq!(page["is_known"], true, "{page:#}");
    move |name| {
        let pairs = page["dictionary"].as_array().unwrap();
        let pair = pairs.iter().find(|pair| pair[0] == name);
        let pair = pair.unwrap_or_else(|| panic!("{name}: {page:#}"));
        // Of what waits, whether anything does.
        pair[1].as_str().unwrap().parse().unwrap_or(0)
    }
}

/// Messages through an alias, from a port and from the machine are measured as all others are. There are some hundreds
/// of each in a second; what other processes send meanwhile is far less.
#[test]
fn ages_of_messages_of_all_kinds_are_measured() {
    let kinds = r#"
        Alias = alias(), Me = self(),
        Port = open_port({spawn_executable, "/bin/cat"}, [stream, binary]),
        Kinds = [{none, fun() -> timer:sleep(1) end},
            {alias, fun() -> Alias ! message, receive message -> ok end end},
            {port, fun() -> port_command(Port, <<"x">>), receive {Port, {data, _}} -> ok end end},
            {timer, fun() -> erlang:send_after(0, Me, timer), receive timer -> ok end end},
            {inactive, fun() -> Old = alias(), unalias(Old), Old ! lost, receive after 0 -> ok end end}]"#;
    let count = ages(kinds, &["+S", "1"]);
    let others = count("none").max(count("inactive"));
    for kind in ["alias", "port", "timer"] {
        assert!(count(kind) > 20 + 2 * others, "{kind}: {}", count(kind));
    }
    // None of those that reached nobody is waited for.
    assert_eq!(count("oldest"), 0);
}

/// Such a message is decoded by its receiver, which makes another one of it.
#[test]
fn ages_of_messages_from_other_nodes_are_measured() {
    let name = format!("ages{}", std::process::id());
    let kinds = r#"
        {ok, _, Other} = peer:start_link(#{name => peer:random_name()}),
        Me = self(), Alias = alias(),
        Echo = spawn(Other, erlang, apply, [fun Echo() ->
            receive go -> Me ! plain, Alias ! through_alias, Echo() end end, []]),
        Kinds = [{none, fun() -> timer:sleep(1) end},
            {other_node, fun() -> Echo ! go, receive plain -> ok end, receive through_alias -> ok end end}]"#;
    let count = ages(kinds, &["+S", "1", "-sname", &name]);
    assert!(
        count("other_node") > 20 + 2 * count("none"),
        "{} beside {}",
        count("other_node"),
        count("none")
    );
    assert_eq!(count("oldest"), 0);
}
