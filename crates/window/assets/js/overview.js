// The node at one look: a few numbers, and plots of everything that is followed.

import { get } from "./api.js";
import { el, setText } from "./dom.js";
import { follow, history, latest } from "./history.js";
import { plot } from "./plot.js";
import { bytes, duration, number } from "./units.js";

const TITLES = {
  load: "Load", queues: "Run queues", memory: "Memory", processes: "Processes", messages: "Messages",
  collections: "Collections", guard: "Memory guard", io: "Input and output", tables: "Tables", code: "Code", distribution: "Distribution",
  timers: "Timers", peers: "Waiting for each node", busy_peers: "Busy connections",
};
const UNITS = { bytes: "bytes", "bytes/s": "bytes per second", seconds: "time" };
const SPANS = [["5 min", 5], ["15 min", 15], ["1 h", 60]];
let span = 15;

/** The series in the plots that show them: of one group and one unit each, and each scheduler's load apart. */
function groups(series) {
  const found = new Map();
  for (const one of series) {
    const isScheduler = /^scheduler_\d+$/.test(one.id);
    const group = isScheduler ? "schedulers" : one.group;
    const key = `${group} ${one.unit}`;
    if (!found.has(key)) found.set(key, { group, unit: one.unit, series: [] });
    found.get(key).series.push(one);
  }
  const all = [...found.values()];
  for (const one of all) {
    const title = one.group === "schedulers" ? "Schedulers" : TITLES[one.group] ?? one.group;
    const isAlone = one.unit === "share" || all.filter(({ group }) => group === one.group).length === 1;
    const isSingle = one.series.length === 1 && !isAlone;
    one.title = isSingle ? one.series[0].name : isAlone ? title : `${title}: ${UNITS[one.unit] ?? one.unit}`;
  }
  return all;
}

function tile(title) {
  const value = el("dd", {}, "–");
  const more = el("dd", { class: "more" });
  return { element: el("div", { class: "tile" }, el("dt", {}, title), value, more), value, more };
}

export function show(root) {
  const names = ["Load", "Memory", "Processes", "Run queues", "Ports", "Atoms", "Tables", "Up for"];
  const tiles = Object.fromEntries(names.map((name) => [name, tile(name)]));
  const spans = el("fieldset", { class: "spans" }, el("legend", {}, "Shown"));
  for (const [name, minutes] of SPANS) {
    const id = `span-${minutes}`;
    spans.append(
      el("input", { type: "radio", name: "span", id, checked: minutes === span, change: () => choose(minutes) }),
      el("label", { for: id }, name),
    );
  }
  const grid = el("div", { class: "plots" });
  const note = el("p", { class: "notice", hidden: true });
  root.append(
    el("div", { class: "heading" }, el("h1", {}, "Overview"), spans),
    el("dl", { class: "tiles" }, names.map((name) => tiles[name].element)),
    note,
    grid,
  );
  let plots = [];
  let drawn = null;
  let node = null;
  let isStopped = false;

  function choose(minutes) {
    span = minutes;
    for (const one of plots) one.show(span);
  }

  function build() {
    for (const one of plots) one.stop();
    drawn = history.series;
    plots = groups(history.series).map((one) => plot(one.title, one.series));
    for (const one of plots) one.show(span);
    grid.replaceChildren(...plots.map((one) => one.card));
  }

  function tell(name, value, more = "") {
    setText(tiles[name].value, value);
    setText(tiles[name].more, more);
  }

  function update() {
    if (history.series !== drawn) build();
    for (const one of plots) one.update();
    note.hidden = history.series.length > 0 || !history.fault;
    if (history.fault) setText(note, history.fault.message);
    const load = latest("load");
    if (load !== null) tell("Load", number(load, "share"), node ? `${node.schedulers.online} schedulers` : "");
    if (node === null) return;
    const used = ({ count, limit }) => [number(count, ""), `${number(count / limit, "share")} of ${number(limit, "")}`];
    tell("Processes", ...used(node.processes));
    tell("Ports", ...used(node.ports));
    tell("Atoms", ...used(node.atoms));
    tell("Tables", number(node.tables.count, ""));
    tell("Up for", duration(node.uptime_ms), `since ${new Date(node.started_unix_ms).toLocaleString("en-GB")}`);
    const { guard } = node;
    const resident = latest("memory_resident") ?? guard.resident_bytes;
    if (resident !== null) {
      const more = guard.on ? `${number(resident / guard.budget_bytes, "share")} of ${bytes(guard.budget_bytes)}, ${guard.level}` : "no budget";
      tell("Memory", bytes(resident), more);
    }
    const queues = history.series.filter(({ group, unit }) => group === "queues" && !unit.includes("second"));
    const waiting = queues.map(({ id }) => latest(id)).filter((value) => value !== null);
    if (waiting.length > 0) tell("Run queues", number(waiting.reduce((sum, value) => sum + value, 0), ""), "wait to run");
  }

  async function ask() {
    try {
      node = await get("node");
    } catch {
      // The line about a node that does not answer says so.
    }
    if (!isStopped) update();
  }

  const end = follow(update);
  const timer = setInterval(ask, 2000);
  ask();
  update();
  return {
    redraw: () => plots.forEach((one) => one.redraw()),
    stop() {
      isStopped = true;
      end();
      clearInterval(timer);
      for (const one of plots) one.stop();
    },
  };
}
