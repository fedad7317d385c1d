// A flame graph of what schedulers do, on demand: each bar is a function, as wide as its share of the samples, below
// the one that called it. Bars are buttons, which widen theirs to the whole.

import { get, post } from "./api.js";
import { el, setText } from "./dom.js";
import { field, number, time } from "./units.js";

const EVERY_MS = 1000;
const MOST_DEPTH = 60;
const LEAST_SHARE = 0.002;

/** The stacks of a profile: [[names], samples]. */
function stacks(folded) {
  return folded.split("\n").filter((line) => line !== "").map((line) => {
    const cut = line.lastIndexOf(" ");
    return [line.slice(0, cut).split(";"), Number(line.slice(cut + 1))];
  });
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
  const place = el("div", { class: "flames", role: "region", tabindex: "0", "aria-label": "Flame graph" });
  const length = el("select", { id: "seconds" }, [1, 5, 10, 30, 60].map((s) => el("option", { value: s, selected: s === 5 }, `${s} s`)));
  const start = el("button", { type: "button", click: take }, "Take samples");
  const whole = el("button", { type: "button", class: "quiet", hidden: true, click: () => draw(all) }, "Show all");
  const file = el("a", { href: "api/v1/profile/folded", download: "profile.folded", hidden: true }, "Download as collapsed stacks");
  root.append(el("div", { class: "heading" }, el("h1", {}, "Profile"), status),
    el("p", { class: "help" }, "What the node's threads spend their processor time on, by 99 samples of each in a second of it. It costs the node less than a hundredth of that time. Choose a bar to see it alone."),
    el("div", { class: "bar" }, el("label", { for: "seconds" }, "For"), length, start, whole, file), place);
  let all = null;
  let drawn = null;
  let timer = null;
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

  function told(profile) {
    const samples = `${field("", profile.samples)} samples`;
    if (profile.number === 0) return "none has been taken yet";
    if (profile.is_running) return `taking samples for ${profile.seconds} s: ${samples} …`;
    if (profile.fault !== null) return profile.fault;
    const parts = [`${samples} in ${profile.seconds} s, from ${time(profile.started_unix_ms)} on`];
    if (profile.lost > 0) parts.push(`${field("", profile.lost)} were lost`);
    if (profile.left_out > 0) parts.push(`${field("", profile.left_out)} are of stacks that were left out`);
    return parts.join("; ");
  }

  async function look() {
    clearTimeout(timer);
    try {
      const profile = await get("profile");
      if (isStopped) return;
      setText(status, told(profile));
      start.disabled = profile.is_running;
      file.hidden = profile.folded === "";
      if (!profile.is_running && profile.number !== drawn) {
        drawn = profile.number;
        all = tree(stacks(profile.folded));
        if (all.count > 0) draw(all);
        else place.replaceChildren();
      }
    } catch (error) {
      if (isStopped) return;
      setText(status, error.message);
      start.disabled = false;
    }
    timer = setTimeout(look, start.disabled ? EVERY_MS : 5 * EVERY_MS);
  }

  async function take() {
    start.disabled = true;
    try {
      await post(`profile/start?seconds=${length.value}`);
      look();
    } catch (error) {
      setText(status, error.message);
      start.disabled = false;
    }
  }

  look();
  return {
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
