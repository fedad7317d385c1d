//! A profile on demand, by the dashboard of a real node. With OTP 25.

#[allow(dead_code, reason = "other tests use all of it")]
mod dashboard {
    pub(crate) mod client;
}

use dashboard::client::{Node, number, request, shown_when};
use serde_json::Value;

fn post(node: &Node, path: &str, headers: &[&str]) -> u16 {
    let path = format!("/api/v1/{path}");
    node.send(&request("POST", &path, &node.address, headers, ""))
        .status
}

const BUSY: &str = r#"
    Spin = fun(Spin, List) -> lists:sort(List), Spin(Spin, List) end,
    List = [erlang:phash2(Number) || Number <- lists:seq(1, 10000)],
    spawn(fun() -> Spin(Spin, List) end),
    timer:sleep(infinity)"#;

#[test]
fn a_profile_is_taken_while_the_node_runs() {
    let node = Node::run(BUSY, &["+S", "2:2"]);
    let own_page = format!("Origin: http://{}", node.address);
    let own = [own_page.as_str()];
    shown_when(&node, "profile", |profile| profile["number"] == 0);
    assert_eq!(node.get("/api/v1/profile/start", &[]).status, 405);
    assert_eq!(
        post(&node, "profile/start", &["Origin: http://evil.example"]),
        403
    );
    assert_eq!(
        post(&node, "profile/start", &[]),
        403,
        "no page says that it asks"
    );
    assert_eq!(post(&node, "profile/start?seconds=0", &own), 400);
    if !cfg!(target_arch = "x86_64") {
        return;
    }
    // A busy host gives the node little time.
    assert_eq!(post(&node, "profile/start?seconds=60&hz=500", &own), 204);
    assert_eq!(post(&node, "profile/start", &own), 409);
    shown_when(&node, "profile", |profile| {
        assert_eq!(profile["is_running"], true, "{profile:#}");
        number(&profile["samples"]) > 20
    });
    drop(node);

    let node = Node::run(BUSY, &["+S", "2:2"]);
    let own_page = format!("Origin: http://{}", node.address);
    let own = [own_page.as_str()];
    // A busy host may give the node so little time that a second has no sample.
    let mut has_sorted = false;
    for round in 1..60 {
        assert_eq!(post(&node, "profile/start?seconds=1&hz=200", &own), 204);
        let is_taken = |profile: &Value| profile["is_running"] == false;
        let profile = shown_when(&node, "profile", is_taken);
        assert_eq!(
            (&profile["fault"], number(&profile["number"])),
            (&Value::Null, round)
        );
        let folded = node.get("/api/v1/profile/folded", &[]);
        assert!(
            folded
                .header("content-disposition")
                .unwrap()
                .starts_with("attachment")
        );
        assert_eq!(folded.body, profile["folded"].as_str().unwrap());
        let counts = folded
            .body
            .lines()
            .map(|line| line.rsplit_once(' ').unwrap().1);
        let sum: u64 = counts.map(|count| count.parse::<u64>().unwrap()).sum();
        assert_eq!(sum, number(&profile["samples"]));
        // `lists:sort/1` itself calls these last, and is seldom met.
        has_sorted = folded.body.contains("lists:rmerge") || folded.body.contains("lists:split");
        if has_sorted {
            break;
        }
    }
    assert!(has_sorted);
}

#[test]
fn a_node_that_is_profiled_from_its_start_takes_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let files = folder.path().join("own");
    let node = Node::run(BUSY, &["+profile", files.to_str().unwrap()]);
    let own_page = format!("Origin: http://{}", node.address);
    assert_eq!(post(&node, "profile/start", &[&own_page]), 204);
    let profile = shown_when(&node, "profile", |profile| profile["is_running"] == false);
    assert!(
        profile["fault"].as_str().unwrap().contains("+profile"),
        "{profile:#}"
    );
}
