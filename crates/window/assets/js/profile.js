// A flame graph of what schedulers do, on demand: each bar is a function, as wide as its share of the samples, above
// the one that called it. Bars are buttons, which widen theirs to the whole.

import { get } from "./api.js";
import { el, setText } from "./dom.js";
import { number } from "./units.js";

const MOST_DEPTH = 60;
const LEAST_SHARE = 0.002;

/** The stacks of an answer: [[names], samples]. */
function stacks(answer) {
  if (typeof answer.folded === "string") {
    return answer.folded.split("\n").filter((line) => line !== "").map((line) => {
      const cut = line.lastIndexOf(" ");
      return [line.slice(0, cut).split(";"), Number(line.slice(cut + 1))];
    });
  }
  return answer.rows.map((row) => [
    Array.isArray(row.stack) ? row.stack : String(row.stack).split(";"), row.samples ?? row.count,
  ]);
}

function tree(lines) {
  const top = { name: "all", count: 0, children: new Map() };
  for (const [names, count] of lines) {
    top.count += count;
    let node = top;
    for (const name of names.slice(0, MOST_DEPTH)) {
      if (!node.children.has(name)) node.children.set(name, { name, count: 0, children: new Map() });
      node = node.children.get(name);
      node.count += count;
    }
  }
  return top;
}

function hueOf(name) {
  let sum = 0;
  for (const letter of name.split(":")[0]) sum = (sum * 31 + letter.charCodeAt(0)) % 997;
  return 10 + (sum % 45);
}

export function show(root) {
  const status = el("p", { class: "status", role: "status" });
  const place = el("div", { class: "flames" });
  const time = el("select", { id: "seconds" }, [1, 5, 10, 30].map((s) => el("option", { value: s }, `${s} s`)));
  const start = el("button", { type: "button", click: take }, "Take samples");
  const whole = el("button", { type: "button", class: "quiet", hidden: true, click: () => draw(all) }, "Show all");
  root.append(el("div", { class: "heading" }, el("h1", {}, "Profile"), status),
    el("p", { class: "help" }, "What the node's threads run, by samples of their stacks. Taking them costs a node little, and other nodes nothing."),
    el("div", { class: "bar" }, el("label", { for: "seconds" }, "For"), time, start, whole), place);
  let all = null;
  let isStopped = false;

  function draw(top) {
    whole.hidden = top === all;
    const levels = [];
    function level(node, depth, from, width) {
      if (width < LEAST_SHARE || depth > MOST_DEPTH) return;
      levels[depth] ??= [];
      levels[depth].push([node, from, width]);
      let at = from;
      const children = [...node.children.values()].sort((a, b) => b.count - a.count);
      for (const child of children) {
        const share = (child.count / node.count) * width;
        level(child, depth + 1, at, share);
        at += share;
      }
    }
    level(top, 0, 0, 1);
    place.replaceChildren(...levels.map((bars) => el("div", { class: "level" }, bars.map(([node, from, width]) => {
      const share = number(node.count / all.count, "share");
      const bar = el("button", { type: "button", class: "flame", title: `${node.name}: ${share}`, click: () => draw(node) },
        `${node.name} ${share}`);
      bar.style.left = `${from * 100}%`;
      bar.style.width = `${width * 100}%`;
      bar.style.setProperty("--hue", hueOf(node.name));
      return bar;
    }))));
  }

  async function take() {
    const seconds = Number(time.value);
    start.disabled = true;
    setText(status, `taking samples for ${seconds} s …`);
    try {
      const answer = await get("profile", { seconds }, undefined, (seconds + 15) * 1000);
      if (isStopped) return;
      all = tree(stacks(answer));
      setText(status, all.count === 0 ? "nothing ran" : `${number(all.count, "")} samples`);
      draw(all);
    } catch (error) {
      setText(status, error.message);
    }
    start.disabled = false;
  }

  return { stop() { isStopped = true; } };
}
