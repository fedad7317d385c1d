// Supervision trees: each application's processes below those that started them.

import { get } from "./api.js";
import { el, pageOf, setText } from "./dom.js";
import { field } from "./units.js";

const EVERY_MS = 5000;

function labelOf(row) {
  const name = row.application ?? row.name ?? row.label ?? row.initial_call ?? row.pid;
  const parts = [row.pid ? el("a", { href: pageOf(row.pid) }, name) : el("strong", {}, name)];
  if (row.pid && name !== row.pid) parts.push(el("span", { class: "faint" }, row.pid));
  parts.push(el("span", { class: "tag" }, row.kind));
  const facts = [];
  if (row.initial_call && name !== row.initial_call) facts.push(row.initial_call);
  if (typeof row.memory_bytes === "number") facts.push(field("memory_bytes", row.memory_bytes));
  if (row.messages > 0) facts.push(`${field("", row.messages)} messages`);
  parts.push(el("span", { class: "faint" }, facts.join(", ")));
  return parts;
}

function draw(rows, path, opened) {
  return el("ul", { class: "tree" }, rows.map((row) => {
    const key = `${path}/${row.pid}`;
    const children = row.children ?? [];
    const line = el("div", { class: "node" });
    if (children.length === 0) return el("li", {}, fill(line, [el("span", { class: "twist" }), ...labelOf(row)]));
    const below = draw(children, key, opened);
    const isOpen = () => opened.get(key) ?? path === "";
    const twist = el("button", { type: "button", class: "twist", click: () => {
      opened.set(key, !isOpen());
      set();
    } }, "▸");
    function set() {
      below.hidden = !isOpen();
      twist.setAttribute("aria-expanded", String(isOpen()));
      twist.setAttribute("aria-label", `${isOpen() ? "Hide" : "Show"} ${children.length} below ${row.application ?? row.name ?? row.pid}`);
    }
    set();
    const all = row.children_total ?? children.length;
    const count = el("span", { class: "faint" }, all > children.length ? `${children.length} of ${all} below` : `${all} below`);
    return el("li", {}, fill(line, [twist, ...labelOf(row), count]), below);
  }));
}

function fill(line, parts) {
  line.append(...parts);
  return line;
}

export function show(root) {
  const status = el("p", { class: "status" });
  const fault = el("p", { class: "notice", role: "alert", hidden: true });
  const place = el("div", { class: "card" });
  root.append(el("div", { class: "heading" }, el("h1", {}, "Supervision"), status), fault, place);
  const opened = new Map();
  let timer = null;
  let isStopped = false;
  let last = "";

  async function refresh() {
    try {
      const answer = await get("supervision", {}, undefined, 30000);
      if (isStopped) return;
      fault.hidden = true;
      const text = JSON.stringify(answer.rows);
      if (text !== last && !place.contains(document.activeElement)) {
        place.replaceChildren(draw(answer.rows, "", opened));
        last = text;
      }
      setText(status, `${field("", answer.total)} processes${answer.is_cut ? "; there are more, which are left out" : ""}`);
    } catch (error) {
      if (isStopped) return;
      fault.hidden = false;
      setText(fault, error.message);
    }
    timer = setTimeout(refresh, document.hidden ? 5 * EVERY_MS : EVERY_MS);
  }

  refresh();
  return {
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
