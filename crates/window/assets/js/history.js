// The node's numbers of the last hour, followed second by second. The newest samples replace the oldest, so the page
// takes no more memory after days than after an hour.

import { get } from "./api.js";

const MOST_SAMPLES = 3600;
const EVERY_MS = 1000;
const HIDDEN_EVERY_MS = 10000;

/** What is known. Times are in seconds, as plots have them; columns are by the ids of series. */
export const history = {
  series: [],
  times: [],
  columns: new Map(),
  /** When the node answered last, by this browser's clock. */
  answered: null,
  /** Why it does not answer, if it does not. */
  fault: null,
};

let next = 0;
// The series that do not change, and those of connected nodes, which come and go.
let fixed = [];
let peers = [];
let timer = null;
const listeners = new Set();

/** Calls this after each poll; returns what ends that. */
export function follow(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Starts to follow the node. */
export function start() {
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) poll();
  });
  poll();
}

async function poll() {
  clearTimeout(timer);
  // Until the node has its token, asking again is no use.
  if (document.getElementById("login").open) return;
  try {
    if (history.series.length === 0) {
      fixed = await get("series");
      peers = [];
      history.series = fixed;
      history.columns.clear();
      history.times.length = 0;
      for (const { id } of fixed) history.columns.set(id, []);
    }
    take(await get("history", { from: next }));
    history.answered = Date.now();
    history.fault = null;
  } catch (error) {
    history.fault = error;
    // Without history there is still a node that answers.
    if (error.status >= 400 && error.status !== 401) history.answered = Date.now();
  }
  for (const listener of listeners) listener();
  clearTimeout(timer);
  timer = setTimeout(poll, document.hidden ? HIDDEN_EVERY_MS : EVERY_MS);
}

/** Has columns for the nodes that are connected now, or were in this hour. */
function followPeers(now) {
  const ids = now.map(({ id }) => id);
  if (ids.join("\n") === peers.map(({ id }) => id).join("\n")) return;
  for (const { id } of peers) if (!ids.includes(id)) history.columns.delete(id);
  for (const id of ids) if (!history.columns.has(id)) history.columns.set(id, history.times.map(() => null));
  peers = now;
  history.series = [...fixed, ...peers];
}

function take(answer) {
  // Another node is at this address now: its samples are numbered from the start.
  const isOther = answer.next < next;
  const isBehind = answer.first > next && history.times.length > 0;
  if (isOther || isBehind) {
    history.times.length = 0;
    for (const column of history.columns.values()) column.length = 0;
  }
  if (isOther) {
    next = 0;
    history.series = [];
    return;
  }
  followPeers(answer.peers);
  const ids = Object.keys(answer.columns);
  const count = ids.length === 0 ? 0 : answer.columns[ids[0]].length;
  const newest = answer.now_unix_ms;
  for (let index = 0; index < count; index += 1) {
    history.times.push((newest - (count - 1 - index) * answer.step_ms) / 1000);
  }
  for (const [id, column] of history.columns) {
    const more = answer.columns[id];
    for (let index = 0; index < count; index += 1) column.push(more?.[index] ?? null);
  }
  const tooMany = history.times.length - MOST_SAMPLES;
  if (tooMany > 0) {
    history.times.splice(0, tooMany);
    for (const column of history.columns.values()) column.splice(0, tooMany);
  }
  next = answer.next;
}

/** The newest value of a series. */
export function latest(id) {
  const column = history.columns.get(id);
  return column && column.length > 0 ? column[column.length - 1] : null;
}
