//! The graph of crates as an SVG picture: each room stands above the rooms that it uses.
//!
//! Only arrows that no longer way implies are drawn. The picture depends on names and arrows alone, so it changes only
//! with them; a test compares it with the one in `docs`.

use super::table::Graph;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

const BOX_WIDTH: usize = 92;
const BOX_HEIGHT: usize = 34;
const COLUMN: usize = 118;
const FLOOR: usize = 84;
const MARGIN: usize = 24;

/// Where the middle of a room is, in pixels.
#[derive(Clone, Copy)]
struct Position {
    x: usize,
    y: usize,
}

/// Draws the graph, which must have no circles.
pub(super) fn svg(graph: &Graph) -> String {
    let floors = floors(graph);
    let columns = floors.iter().map(Vec::len).max().unwrap_or(0);
    let (width, height) = (
        columns * COLUMN + 2 * MARGIN,
        floors.len().saturating_sub(1) * FLOOR + BOX_HEIGHT + 2 * MARGIN,
    );
    let positions = positions(&floors, width);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" font-family=\"sans-serif\" font-size=\"14\" text-anchor=\"middle\">\n\
         <rect width=\"{width}\" height=\"{height}\" rx=\"6\" fill=\"#fdfdfb\"/>\n"
    );
    for (user, used) in reduced(graph) {
        arrow(&mut svg, positions[user], positions[used]);
    }
    for (name, at) in &positions {
        let (x, y) = (at.x - BOX_WIDTH / 2, at.y - BOX_HEIGHT / 2);
        let baseline = at.y + 5;
        let _ = writeln!(
            svg,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{BOX_WIDTH}\" height=\"{BOX_HEIGHT}\" rx=\"5\" fill=\"#dce8f4\" \
             stroke=\"#456\"/><text x=\"{}\" y=\"{baseline}\" fill=\"#123\">{name}</text>",
            at.x
        );
    }
    svg.push_str("</svg>\n");
    svg
}

/// A line from the bottom of the user to the top of what it uses, with a small head.
fn arrow(svg: &mut String, from: Position, to: Position) {
    let (x1, y1) = (from.x, from.y + BOX_HEIGHT / 2);
    let (x2, y2) = (to.x, to.y - BOX_HEIGHT / 2);
    let bend = (y2 - y1) / 2;
    let (near, far) = (y1 + bend, y2 - bend);
    let _ = writeln!(
        svg,
        "<path d=\"M{x1} {y1}C{x1} {near} {x2} {far} {x2} {}\" fill=\"none\" stroke=\"#789\"/>\
         <path d=\"M{} {}L{} {}L{x2} {y2}z\" fill=\"#789\"/>",
        y2 - 6,
        x2 - 4,
        y2 - 8,
        x2 + 4,
        y2 - 8
    );
}

/// Rooms by floor, the highest first. A room is one floor above the highest room that it uses.
fn floors(graph: &Graph) -> Vec<Vec<&str>> {
    let mut levels = BTreeMap::new();
    for name in graph.keys() {
        level(graph, name, &mut levels);
    }
    let highest = levels.values().max().copied().unwrap_or(0);
    let mut floors = vec![Vec::new(); highest + 1];
    for (name, level) in levels {
        floors[highest - level].push(name);
    }
    floors
}

fn level<'a>(graph: &'a Graph, name: &'a str, levels: &mut BTreeMap<&'a str, usize>) -> usize {
    if let Some(level) = levels.get(name) {
        return *level;
    }
    let below = graph[name]
        .uses
        .keys()
        .map(|used| level(graph, used, levels) + 1);
    let level = below.max().unwrap_or(0);
    levels.insert(name, level);
    level
}

/// Each floor is spread over the width.
fn positions<'a>(floors: &[Vec<&'a str>], width: usize) -> BTreeMap<&'a str, Position> {
    let mut positions = BTreeMap::new();
    for (floor, names) in floors.iter().enumerate() {
        let left = (width - names.len() * COLUMN) / 2 + COLUMN / 2;
        for (column, name) in names.iter().enumerate() {
            let position = Position {
                x: left + column * COLUMN,
                y: MARGIN + BOX_HEIGHT / 2 + floor * FLOOR,
            };
            positions.insert(*name, position);
        }
    }
    positions
}

/// The arrows that no longer way implies.
fn reduced(graph: &Graph) -> Vec<(&str, &str)> {
    let mut arrows = Vec::new();
    for (user, room) in graph {
        let indirect: BTreeSet<&str> = room
            .uses
            .keys()
            .flat_map(|used| reachable(graph, used))
            .collect();
        let direct = room.uses.keys().map(String::as_str);
        arrows.extend(
            direct
                .filter(|used| !indirect.contains(used))
                .map(|used| (user.as_str(), used)),
        );
    }
    arrows
}

/// All that a room uses, at once or through others; not the room itself.
fn reachable<'a>(graph: &'a Graph, name: &str) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    let mut open: Vec<&str> = graph[name].uses.keys().map(String::as_str).collect();
    while let Some(next) = open.pop() {
        if found.insert(next) {
            open.extend(graph[next].uses.keys().map(String::as_str));
        }
    }
    found
}
