// A table whose rows the node sorts, filters and cuts into pages.

import { get } from "./api.js";
import { el, linked, setText } from "./dom.js";
import { field, title as titleOf } from "./units.js";

const EVERY_MS = 2000;
const SLOW_MS = 30000;
const isNumber = (value) => typeof value === "number";

/**
 * Shows a table. Options: `path` below the API; `title`; `columns`, as {key, title, sort, link, look} where `sort` is the
 * node's word for it (the key if it is left out, null for none) and `look` a class of its cells; without columns, those of the first row; `sort` and
 * `order` at first; `choices`, as {name, title, values: [[value, title], ...]}; `more`, which adds to the end of a row;
 * `isBackward`, if the rows of a page are shown from the last to the first until another order is chosen; `above`, an
 * element in front of the table; `told`, called with each answer.
 */
export function table(root, options) {
  const state = {
    sort: options.sort ?? null, order: options.order ?? "desc", filter: "", page: 0, rows: options.rows ?? 50, choices: {},
  };
  const filter = el("input", { type: "search", id: "filter", placeholder: "part of any text", autocomplete: "off", input: typed });
  const runs = el("input", { type: "checkbox", id: "runs", checked: true, change: () => (runs.checked ? refresh() : clearTimeout(timer)) });
  const bar = el("div", { class: "bar" },
    el("label", { for: "filter" }, "Filter"), filter,
    (options.choices ?? []).map((choice) => select(choice)),
    el("span", { class: "check" }, runs, el("label", { for: "runs" }, "Follow")),
  );
  const head = el("tr");
  const body = el("tbody");
  const caption = el("caption", { class: "hidden" }, options.title);
  const status = el("p", { class: "status", "aria-live": "off" }, "Waiting for the node");
  const fault = el("p", { class: "notice", role: "alert", hidden: true });
  const before = el("button", { type: "button", class: "quiet", click: () => turn(-1) }, "Previous");
  const after = el("button", { type: "button", class: "quiet", click: () => turn(1) }, "Next");
  const turns = el("div", { class: "turn", hidden: true }, before, after);
  const scroller = el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": options.title },
    el("table", {}, caption, el("thead", {}, head), body));
  root.append(
    el("div", { class: "heading" }, el("h1", {}, options.title), status),
    el("p", { class: "help", hidden: !options.help }, options.help),
    ...(options.above ? [options.above] : []), bar, fault, scroller,
    turns,
  );
  let timer = null;
  let typing = null;
  let asking = null;
  let columns = [];
  let matched = 0;
  let isStopped = false;

  function select(choice) {
    const id = `choice-${choice.name}`;
    const list = el("select", { id, change: () => {
      state.choices[choice.name] = list.value;
      state.page = 0;
      refresh();
    } }, choice.values.map(([value, text]) => el("option", { value }, text)));
    state.choices[choice.name] = choice.values[0][0];
    return el("span", { class: "choice" }, el("label", { for: id }, choice.title), list);
  }

  function typed() {
    clearTimeout(typing);
    typing = setTimeout(() => {
      state.filter = filter.value.trim();
      state.page = 0;
      refresh();
    }, 300);
  }

  function turn(by) {
    state.page = Math.max(0, state.page + by);
    refresh();
  }

  function sortBy(column) {
    const name = column.sort ?? column.key;
    if (state.sort === name) state.order = state.order === "desc" ? "asc" : "desc";
    else [state.sort, state.order] = [name, "desc"];
    state.page = 0;
    drawHead();
    refresh();
  }

  function columnsOf(rows) {
    const known = typeof options.columns === "function" ? options.columns(state.choices) : options.columns;
    if (known) return known;
    const names = rows.length > 0 ? Object.keys(rows[0]) : [];
    return names.map((key) => ({ key }));
  }

  function drawHead() {
    const cells = columns.map((column) => {
      const text = column.title ?? titleOf(column.key);
      const name = column.sort === undefined ? column.key : column.sort;
      const isSorted = name !== null && name === state.sort;
      const order = state.order === "desc" ? "descending" : "ascending";
      const inside = name === null ? text
        : el("button", { type: "button", class: "sort", click: () => sortBy(column) }, text,
          el("span", { class: "arrow", "aria-hidden": "true" }, isSorted ? (state.order === "desc" ? "▼" : "▲") : ""));
      return el("th", { scope: "col", "aria-sort": isSorted ? order : null, class: column.isNumber ? "number" : null }, inside);
    });
    if (options.more) cells.push(el("th", { scope: "col" }, el("span", { class: "hidden" }, "Actions")));
    head.replaceChildren(...cells);
  }

  /** Rows are changed where they are, so that what has the focus or is selected stays. */
  function drawRows(rows) {
    while (body.rows.length > rows.length) body.lastElementChild.remove();
    for (const [index, row] of rows.entries()) {
      const line = body.rows[index] ?? body.insertRow();
      const count = columns.length + (options.more ? 1 : 0);
      while (line.cells.length > count) line.lastElementChild.remove();
      while (line.cells.length < count) line.insertCell();
      for (const [place, column] of columns.entries()) {
        const value = row[column.key];
        const text = column.text ? column.text(row) : field(column.key, value);
        const cell = line.cells[place];
        cell.className = column.isNumber ? "number" : `text ${column.look ?? ""}`.trim();
        if (cell.dataset.text === text) continue;
        cell.dataset.text = text;
        const link = column.link?.(row);
        cell.replaceChildren(...(link ? [el("a", { href: link }, text)] : linked(text)));
      }
      if (options.more) line.cells[columns.length].replaceChildren(options.more(row));
    }
  }

  function isSame(one, other) {
    return one.length === other.length && one.every((column, index) => column.key === other[index].key);
  }

  async function refresh() {
    clearTimeout(timer);
    asking?.abort();
    const own = new AbortController();
    asking = own;
    try {
      const { sort, order, filter: text, page, rows, choices } = state;
      const answer = await get(options.path, { sort, order, filter: text, page, rows, ...choices }, own.signal, SLOW_MS);
      const found = columnsOf(answer.rows);
      for (const one of found) one.isNumber = answer.rows.some((row) => isNumber(row[one.key]) && !one.key.endsWith("unix_ms"));
      if (!isSame(found, columns) || head.cells.length === 0) {
        columns = found;
        body.replaceChildren();
        drawHead();
      }
      // The node gives the newest first, so that they are on the first page.
      const isTurned = options.isBackward && sort === null && order === "desc";
      drawRows(isTurned ? [...answer.rows].reverse() : answer.rows);
      matched = answer.matched;
      tell(answer);
      options.told?.(answer);
      fault.hidden = true;
    } catch (error) {
      if (own.signal.aborted || isStopped) return;
      fault.hidden = false;
      setText(fault, error.message);
    }
    if (!isStopped && runs.checked) timer = setTimeout(refresh, document.hidden ? 5 * EVERY_MS : EVERY_MS);
  }

  function tell(answer) {
    const from = answer.rows.length === 0 ? 0 : state.page * state.rows + 1;
    const to = state.page * state.rows + answer.rows.length;
    const count = field("", answer.matched);
    const of = answer.matched === answer.total ? count : `${count} of ${field("", answer.total)}`;
    const took = answer.took_ms === undefined ? "" : `, in ${field("took_ms", answer.took_ms)}`;
    const what = answer.rows.length === 0 ? "None" : `${field("", from)} to ${field("", to)}`;
    setText(status, answer.total === 0 ? "There are none" : `${what}, of ${of}${took}`);
    before.disabled = state.page === 0;
    after.disabled = to >= matched;
    scroller.hidden = answer.rows.length === 0;
    turns.hidden = before.disabled && after.disabled;
  }

  refresh();
  return {
    refresh,
    stop() {
      isStopped = true;
      clearTimeout(timer);
      clearTimeout(typing);
      asking?.abort();
    },
  };
}
