// A process's page. It stays when the process has ended, and says so.

import { get, post } from "./api.js";
import { confirmed } from "./dialogs.js";
import { el, linked, setText } from "./dom.js";
import { field, title as titleOf } from "./units.js";

const EVERY_MS = 2000;
// Shown in sections of their own, in this order; everything else is in the table of facts.
const LISTS = ["links", "monitors", "monitored_by", "ancestors", "tables"];
const APART = new Set([...LISTS, "stack", "dictionary", "queue_head", "holdings", "flags", "pid", "senders"]);

const isEmpty = (value) => value === null || value === undefined || (Array.isArray(value) && value.length === 0);
const textOf = (value) => (typeof value === "string" ? value : field("", value));

function facts(entries) {
  return el("dl", { class: "pairs" }, entries.map(([name, value]) =>
    el("div", {}, el("dt", {}, titleOf(name)), el("dd", {}, linked(field(name, value))))));
}

function section(title, ...content) {
  return el("section", { class: "card" }, el("h2", {}, title), content);
}

function rows(titles, lines) {
  return el("div", { class: "scroll", tabindex: "0" }, el("table", {},
    el("thead", {}, el("tr", {}, titles.map((title) => el("th", { scope: "col" }, title)))),
    el("tbody", {}, lines.map((cells) => el("tr", {}, cells.map((cell) => el("td", { class: "text" }, linked(cell))))))));
}

function list(items) {
  return el("ul", { class: "terms" }, items.map((item) => el("li", {}, linked(textOf(item)))));
}

function stack(frames) {
  const lines = frames.map(({ module, function: name, arity, file, line }) => [
    `${module}:${name}/${arity}`, file ? `${file}:${line ?? "?"}` : "",
  ]);
  return rows(["Function", "Place"], lines);
}

function sections(told) {
  const plain = Object.entries(told).filter(([name]) => !APART.has(name));
  const found = [section("Facts", facts(plain))];
  if (told.is_known === false) {
    found.unshift(el("p", { class: "notice" }, "It runs just now, and does not stop to say more of itself."));
  }
  if (told.holdings) found.push(section("What it holds", facts(Object.entries(told.holdings))));
  if (told.flags) found.push(section("How it is set", facts(Object.entries(told.flags))));
  if (!isEmpty(told.stack)) found.push(section("Stack", stack(told.stack)));
  if (!isEmpty(told.queue_head)) found.push(section("The first messages of its queue", list(told.queue_head)));
  if (!isEmpty(told.senders?.largest)) {
    const lines = told.senders.largest.map((sender) => [
      [sender.name, sender.pid].filter(Boolean).join(" "), field("share_percent", sender.share_percent),
    ]);
    const what = `Of ${field("", told.senders.messages)} messages that processes of this node have sent to it lately.`;
    found.push(section("Who sends to it", el("p", { class: "help" }, what), rows(["Process", "Share"], lines)));
  }
  for (const name of LISTS) if (!isEmpty(told[name])) found.push(section(titleOf(name), list(told[name])));
  if (!isEmpty(told.dictionary)) {
    const lines = told.dictionary.map(([key, value]) => [textOf(key), textOf(value)]);
    found.push(section("Dictionary", rows(["Key", "Value"], lines)));
  }
  return found;
}

export function show(root, [pid], context) {
  const heading = el("h1", {}, pid);
  const status = el("p", { class: "status", role: "status" });
  const fault = el("p", { class: "notice", role: "alert", hidden: true });
  const actions = el("div", { class: "row" });
  const parts = el("div", { class: "parts" });
  root.append(el("p", {}, el("a", { href: "#/processes" }, "All processes")),
    el("div", { class: "heading" }, heading, status), actions, fault, parts);
  let timer = null;
  let isStopped = false;
  let last = "";

  async function act(what, title, text) {
    if (!(await confirmed(title, text, what))) return;
    try {
      await post(`process/${encodeURIComponent(pid)}/${what.toLowerCase()}`);
      refresh();
    } catch (error) {
      fault.hidden = false;
      setText(fault, error.message);
    }
  }

  if (context.control) {
    const collect = () => act("Collect", `Collect ${pid}?`, "Its heap is collected as soon as it can be.");
    const kill = () => act("Kill", `Kill ${pid}?`, "It ends at once, with the reason killed, and so do those linked to it that do not trap exits.");
    actions.append(
      el("button", { type: "button", class: "quiet", click: collect }, "Collect its garbage"),
      el("button", { type: "button", class: "danger", click: kill }, "Kill"),
    );
  }

  async function refresh() {
    clearTimeout(timer);
    try {
      const told = await get(`process/${encodeURIComponent(pid)}`);
      if (isStopped) return;
      fault.hidden = true;
      setText(heading, told.name ? `${told.name} ${told.pid}` : told.pid);
      setText(status, told.status ?? "");
      const text = JSON.stringify(told);
      // What is selected would be lost by drawing it again.
      const isReading = !document.getSelection().isCollapsed && parts.contains(document.getSelection().anchorNode);
      if (text !== last && !isReading) {
        const focus = parts.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
        parts.replaceChildren(...sections(told));
        if (focus) parts.querySelector(`a[href="${CSS.escape(focus)}"]`)?.focus();
        last = text;
      }
    } catch (error) {
      if (isStopped) return;
      fault.hidden = false;
      const isGone = error.status === 404;
      setText(fault, isGone ? "This process has ended. What is shown is what was seen of it last." : error.message);
      if (isGone) {
        setText(status, "ended");
        actions.replaceChildren();
        return;
      }
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
