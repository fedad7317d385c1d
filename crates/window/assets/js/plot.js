// A plot of series that belong together: the drawing, and a legend whose entries are buttons that hide and show a line.

import { el, setText } from "./dom.js";
import { history, latest } from "./history.js";
import { number } from "./units.js";

const HEIGHT = 190;
const COLOURS = 8;
// Marks are far above what most nodes take: they are shown when they are asked for.
const HIDDEN_AT_FIRST = new Set(["memory_soft", "memory_high", "memory_hard"]);
const chosen = new Map();
const cursors = window.uPlot?.sync("history");

const probe = document.body.appendChild(el("span", { hidden: true }));

/** A colour of the style sheet, as it is now. */
function colour(name) {
  probe.style.color = `var(--${name})`;
  return getComputedStyle(probe).color;
}

const lineColour = (index) => colour(`line-${(index % COLOURS) + 1}`);

/** Times of an axis: with seconds where marks are closer than a minute. */
function clock(_, times) {
  const hasSeconds = times.length > 1 && times[1] - times[0] < 60;
  return times.map((s) => new Date(s * 1000).toLocaleTimeString("en-GB", {
    hour: "2-digit", minute: "2-digit", second: hasSeconds ? "2-digit" : undefined,
  }));
}

function isShown(id) {
  return chosen.get(id) ?? !HIDDEN_AT_FIRST.has(id);
}

/** Steps of an axis in bytes: powers of two. */
function stepsOf(unit) {
  if (!unit.startsWith("bytes")) return undefined;
  const steps = [];
  for (let power = 0; power < 50; power += 1) steps.push(2 ** power);
  return steps;
}

/** A plot of these series, all of one unit, in a card with this title. */
export function plot(title, series) {
  const unit = series[0].unit;
  const canvas = el("div", { class: "canvas", role: "img", "aria-label": `${title}, the last hour; the values are below` });
  const entries = series.map((one, index) => entry(one, index, () => draw()));
  const legend = el("ul", { class: "legend" }, entries.map((one) => one.item));
  const card = el("section", { class: "card" }, el("h2", {}, title), canvas, legend);
  let drawing = null;
  let isVisible = true;
  let width = 0;
  let minutes = 60;

  function data() {
    const most = minutes * 60;
    const from = Math.max(0, history.times.length - most);
    const columns = series.map(({ id }) => (history.columns.get(id) ?? []).slice(from));
    return [history.times.slice(from), ...columns];
  }

  function draw() {
    drawing?.destroy();
    drawing = null;
    if (width < 50 || !window.uPlot) return;
    const [text, grid] = [colour("faint"), colour("grid")];
    const axis = { stroke: text, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1 }, font: "11px system-ui" };
    const short = (_, values) => values.map((value) => number(value, unit).replace(" %", "%"));
    drawing = new window.uPlot({
      width,
      height: HEIGHT,
      legend: { show: false },
      cursor: { sync: { key: cursors?.key }, points: { size: 6 }, drag: { x: false, y: false } },
      scales: {
        x: { time: true },
        y: { range: (_, __, most) => [0, unit === "share" ? Math.max(1, most ?? 1) : (most > 0 ? most * 1.08 : 1)] },
      },
      padding: [8, 24, 0, 0],
      axes: [{ ...axis, size: 30, values: clock }, { ...axis, size: 74, values: short, incrs: stepsOf(unit) }],
      series: [
        {},
        ...series.map((one, index) => ({
          label: one.name,
          stroke: lineColour(index),
          width: 1.5,
          dash: index >= COLOURS || HIDDEN_AT_FIRST.has(one.id) ? [6, 4] : undefined,
          show: isShown(one.id),
          points: { show: false },
          spanGaps: false,
        })),
      ],
      hooks: { setCursor: [() => showValues()] },
    }, data(), canvas);
  }

  function showValues() {
    const index = drawing?.cursor.idx;
    const isPointed = index !== null && index !== undefined && drawing.cursor.left >= 0;
    for (const [place, one] of entries.entries()) {
      const value = isPointed ? drawing.data[place + 1][index] : latest(series[place].id);
      setText(one.value, number(value, unit));
    }
  }

  const sizes = new ResizeObserver(([{ contentRect }]) => {
    const now = Math.floor(contentRect.width);
    if (now === width) return;
    width = now;
    if (drawing) drawing.setSize({ width, height: HEIGHT });
    else draw();
  });
  sizes.observe(canvas);
  // What is not in sight is not drawn.
  const sights = new IntersectionObserver(([{ isIntersecting }]) => {
    isVisible = isIntersecting;
    if (isVisible) update();
  }, { rootMargin: "200px" });
  sights.observe(card);

  function update() {
    if (isVisible && drawing) drawing.setData(data());
    showValues();
  }

  return {
    card,
    update,
    /** Draws with other colours. */
    redraw: draw,
    show(span) {
      minutes = span;
      update();
    },
    stop() {
      sizes.disconnect();
      sights.disconnect();
      drawing?.destroy();
    },
  };
}

function entry(one, index, changed) {
  const value = el("span", { class: "value" });
  const swatch = el("span", { class: `swatch line-${(index % COLOURS) + 1}`, "aria-hidden": "true" });
  const button = el("button", {
    type: "button",
    class: "series",
    title: one.help,
    "aria-pressed": isShown(one.id) ? "true" : "false",
    click: () => {
      chosen.set(one.id, !isShown(one.id));
      button.setAttribute("aria-pressed", isShown(one.id) ? "true" : "false");
      changed();
    },
  }, swatch, el("span", { class: "name" }, one.name), value);
  return { item: el("li", {}, button), value };
}
