// The page's frame: which part of it is shown, the colours, whether the node answers, and the token.

import { get, login } from "./api.js";
import { askForToken } from "./dialogs.js";
import { el, pageOf, setText } from "./dom.js";
import { graph } from "./graph.js";
import * as history from "./history.js";
import * as overview from "./overview.js";
import * as process from "./process.js";
import * as profile from "./profile.js";
import { table } from "./table.js";
import * as tree from "./tree.js";
import { duration, field, moment, time } from "./units.js";

const STALE_MS = 4000;
const context = { control: false, name: "this node" };

const PROCESSES = [
  { key: "pid", title: "Process", sort: null, link: (row) => pageOf(row.pid) },
  { key: "name", sort: null, text: (row) => row.name ?? row.label ?? "–" },
  { key: "initial_call", sort: null },
  { key: "current_function", title: "Is in", sort: null },
  { key: "status", sort: null },
  { key: "memory_bytes", sort: "memory" },
  { key: "reductions", sort: "reductions" },
  { key: "reductions_per_s", title: "Reductions/s", sort: "reductions_rate" },
  { key: "messages", title: "Queue", sort: "queue" },
  { key: "messages_per_s", title: "Queue grows by", sort: "queue_growth" },
  { key: "binary_bytes", title: "Binaries", sort: "binaries" },
];
const GROUPS = [
  { key: "key", title: "Group", sort: null, text: (row) => row.key ?? "none" },
  { key: "count", title: "Processes", sort: "count" },
  ...PROCESSES.slice(5),
];

function processes(root) {
  const running = el("p", { class: "help" });
  return table(root, {
    above: running,
    told: (answer) => {
      const rows = answer.running ?? [];
      const links = rows.flatMap((row, index) => [index > 0 ? ", " : "", el("a", { href: pageOf(row.pid) }, row.name ?? row.pid)]);
      running.hidden = rows.length === 0;
      running.replaceChildren("Running when it was looked at: ", ...links);
    },
    path: "processes",
    title: "Processes",
    sort: "memory",
    columns: ({ group }) => (group === "none" ? PROCESSES : GROUPS),
    choices: [{
      name: "group",
      title: "Grouped by",
      values: [["none", "nothing"], ["initial_call", "initial call"], ["label", "label"], ["current", "where they are"]],
    }],
  });
}

function list(path, title, options = {}) {
  return (root) => table(root, { path, title, ...options });
}

function nodes(root) {
  const drawing = graph(() => context.name);
  return table(root, { path: "nodes", title: "Nodes", above: drawing.place, told: drawing.draw });
}

function atoms(root) {
  const use = el("p", { class: "help" });
  return table(root, {
    path: "atoms",
    title: "Atoms",
    sort: "number",
    help: "The newest atoms. Atoms are never removed, so a node that makes more and more of them ends up without any.",
    above: use,
    told: (answer) => {
      const grows = answer.atoms_per_s === null ? "" : `, ${field("atoms_per_s", answer.atoms_per_s)} more`;
      setText(use, `${field("", answer.total)} of ${field("", answer.limit)}${grows}; ${field("bytes", answer.memory_bytes)}`);
    },
  });
}

const EVENTS = [
  { key: "last_unix_ms", title: "Last", text: (row) => moment(row.last_unix_ms) },
  { key: "event", title: "Event", look: "short" },
  { key: "about", text: (row) => [row.name, row.about].filter((part) => part !== null).join(" ") || "–" },
  { key: "detail" },
  { key: "took_ms", title: "Took" },
  { key: "size_bytes", title: "Heap" },
  { key: "messages", title: "Messages" },
  { key: "count", title: "Times" },
  { key: "first_unix_ms", title: "First", text: (row) => moment(row.first_unix_ms) },
  { key: "is_lasting", title: "Goes on" },
];
const LOG = [
  { key: "written_unix_ms", title: "Time", text: (row) => moment(row.written_unix_ms) },
  { key: "text", look: "line" },
  { key: "source", look: "short" },
  { key: "level", look: "short" },
];

/** The console's lines, or those of the file that a handler of the logger writes. */
function log(root, [handler]) {
  if (handler === undefined) {
    const files = el("p", { class: "help" });
    return table(root, {
      path: "log",
      title: "Log",
      columns: LOG,
      rows: 200,
      isBackward: true,
      help: "What the node has written to its console since the dashboard was opened, and reports of the machine itself when they were made, which the logger prints later.",
      above: files,
      told: (answer) => {
        const older = answer.forgotten > 0 ? `${field("", answer.forgotten)} older lines were forgotten. ` : "";
        const links = answer.files.flatMap(({ handler: name, file, size_bytes: size }, index) => [
          index > 0 ? ", " : "The logger writes ", el("a", { href: `#/log/${encodeURIComponent(name)}` }, file), ` (${size === null ? "no file" : field("bytes", size)})`,
        ]);
        files.hidden = older === "" && links.length === 0;
        const text = `${older}${answer.files.map(({ file, size_bytes: size }) => `${file} ${size}`)}`;
        // What has the focus stays.
        if (files.dataset.text === text) return;
        files.dataset.text = text;
        files.replaceChildren(older, ...links);
      },
    });
  }
  const written = el("p", { class: "help" });
  root.append(el("p", {}, el("a", { href: "#/log" }, "The console")));
  return table(root, {
    path: `log/${encodeURIComponent(handler)}`,
    title: `Log of the handler ${handler}`,
    columns: [{ key: "offset", title: "Byte" }, { key: "text", look: "line" }],
    rows: 200,
    isBackward: true,
    help: "The last 1000 lines of the file that it writes, and at most 256 KiB.",
    above: written,
    told: ({ file, size_bytes: size, written_unix_ms: at }) => {
      const when = at === null ? "" : `, last written ${moment(at)}`;
      setText(written, `${file}, ${field("bytes", size)}${when}`);
    },
  });
}

/** What else the answer of a list says, in a line above it. */
function withNote(path, title, options, noteOf) {
  const note = el("p", { class: "help" });
  return (root) => table(root, { path, title, above: note, told: (answer) => setText(note, noteOf(answer)), ...options });
}

function limitsOf({ limits, forgotten }) {
  const from = [
    ["collections of", "long_gc_ms", limits.long_gc_ms],
    ["slices of", "long_schedule_ms", limits.long_schedule_ms],
    ["heaps of", "bytes", limits.large_heap_words * 8],
    ["queues of", "", limits.long_queue_messages],
  ];
  const told = from.filter(([, , limit]) => limit > 0).map(([what, unit, limit]) => `${what} ${field(unit, limit)}`);
  const older = forgotten > 0 ? ` ${field("", forgotten)} older ones were forgotten.` : "";
  return `Told of are ${[...told, "processes that wait for busy ports and connections, what the memory guard does"].join(", ")}, and what was done by this page.${older}`;
}

const PAGES = [
  ["", "Overview", overview.show],
  ["processes", "Processes", processes],
  ["supervision", "Supervision", tree.show],
  ["tables", "Tables", list("tables", "ETS tables", { sort: "memory_bytes" })],
  ["ports", "Ports", list("ports", "Ports", { sort: "input_bytes" })],
  ["sockets", "Sockets", list("sockets", "Sockets of the module socket", { sort: "input_bytes" })],
  ["nodes", "Nodes", nodes],
  ["modules", "Modules", list("modules", "Loaded modules", { sort: "code_bytes" })],
  ["atoms", "Atoms", atoms],
  ["timers", "Timers", list("timers", "Timers", { sort: "timers", help: "How many timers each scheduler has, and when the next one of them is due." })],
  ["events", "Events", withNote("events", "Events", { columns: EVENTS }, limitsOf)],
  ["log", "Log", log],
  ["profile", "Profile", profile.show],
];

// Those for which the node has something.
let pages = PAGES;

const main = document.getElementById("main");
let shown = null;

function route() {
  shown?.stop();
  main.replaceChildren();
  const [name, ...rest] = location.hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent);
  const page = name === "process" ? ["process", rest[0], process.show] : pages.find(([path]) => path === name) ?? pages[0];
  document.title = `${page[1]} – ${context.name}`;
  for (const link of document.querySelectorAll("#pages a")) {
    const isCurrent = link.hash === `#/${name}` || (name === "process" && link.hash === "#/processes");
    if (isCurrent) {
      link.setAttribute("aria-current", "page");
      link.scrollIntoView({ block: "nearest", inline: "nearest" });
    } else {
      link.removeAttribute("aria-current");
    }
  }
  shown = page[2](main, rest, context);
}

function changed() {
  // A part of this page, as the link that skips to the content.
  if (location.hash !== "" && !location.hash.startsWith("#/")) return;
  route();
  main.focus({ preventScroll: true });
  scrollTo(0, 0);
}

/** Light, dark, or as the system has it. */
function theme() {
  const order = ["system", "light", "dark"];
  const button = document.getElementById("theme");
  let now = order.includes(localStorage.getItem("theme")) ? localStorage.getItem("theme") : "system";
  function set() {
    if (now === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = now;
    setText(button, `Theme: ${now}`);
    shown?.redraw?.();
  }
  button.addEventListener("click", () => {
    now = order[(order.indexOf(now) + 1) % order.length];
    localStorage.setItem("theme", now);
    set();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => shown?.redraw?.());
  set();
}

/** Says when the node does not answer, and for how long. */
function watch() {
  const line = document.getElementById("stale");
  const { answered } = history.history;
  const since = answered ?? started;
  const isStale = Date.now() - since > STALE_MS;
  document.documentElement.classList.toggle("is-stale", isStale);
  line.hidden = !isStale;
  if (isStale) {
    // In steps, so that a screen reader is not told every second.
    const passed = Math.floor((Date.now() - since) / 10000) * 10000;
    const last = answered === null ? "has not answered yet" : `has not answered since ${time(answered)}`;
    setText(line, `The node ${last}${passed > 0 ? ` (${duration(passed)})` : ""}. What is shown is as it was then.`);
  }
}

const started = Date.now();

async function describe() {
  try {
    const node = await get("node");
    context.control = node.control;
    context.name = node.name;
    setText(document.getElementById("node-name"), node.name);
    const ready = node.not_ready ? `, ${node.not_ready}` : "";
    setText(document.getElementById("node-facts"), `ferl ${node.ferl}, OTP ${node.release}, process ${node.os_pid}${ready}`);
  } catch {
    // It is told of by the line about a node that does not answer, or asks for its token.
  }
}

async function begin() {
  document.addEventListener("token-needed", askForToken);
  // Who opened the line that the node printed has the token in the fragment. It is not left in the history.
  const token = /^#token=(.+)$/.exec(location.hash);
  if (token) {
    window.history.replaceState(null, "", `${location.pathname}#/`);
    await login(decodeURIComponent(token[1])).catch(() => {});
  }
  const paths = await get("").catch(() => null);
  if (paths) pages = PAGES.filter(([path]) => path === "" || paths.includes(`/api/v1/${path}`));
  const links = pages.map(([path, title]) => el("li", {}, el("a", { href: `#/${path}` }, title)));
  document.getElementById("pages").append(...links);
  await describe();
  addEventListener("hashchange", changed);
  theme();
  route();
  history.follow(watch);
  history.start();
  setInterval(watch, 1000);
  setInterval(describe, 10000);
}

begin();
