// Nodes as a graph: this one in the middle, those that it knows around it; a line says what waits to be sent.

import { el, svg } from "./dom.js";
import { bytes } from "./units.js";

const WIDTH = 640;
const HEIGHT = 360;
const MOST = 40;

/** A place for the graph, and what draws it anew for an answer. */
export function graph(own) {
  const place = el("div", { class: "card graph" });
  function draw(answer) {
    const others = answer.rows.filter((row) => row.name !== own()).slice(0, MOST);
    const middle = [WIDTH / 2, HEIGHT / 2];
    const lines = [];
    const dots = [];
    for (const [index, row] of others.entries()) {
      const angle = (index / Math.max(1, others.length)) * 2 * Math.PI - Math.PI / 2;
      const x = middle[0] + Math.cos(angle) * (WIDTH / 2 - 110);
      const y = middle[1] + Math.sin(angle) * (HEIGHT / 2 - 50);
      const { is_busy: isBusy, queued_bytes: queued } = row;
      const isUp = row.state === "up";
      lines.push(svg("line", { x1: middle[0], y1: middle[1], x2: x, y2: y, class: `edge${isBusy ? " busy" : ""}${isUp ? "" : " down"}` }));
      if (queued > 0) {
        lines.push(svg("text", { x: (x + middle[0]) / 2, y: (y + middle[1]) / 2 - 5, class: "edge-text" }, bytes(queued)));
      }
      dots.push(svg("circle", { cx: x, cy: y, r: 9, class: isUp ? "dot" : "dot down" }),
        svg("text", { x, y: y + 24 }, row.name));
    }
    place.hidden = others.length === 0;
    const title = `${own()} and ${others.length} other ${others.length === 1 ? "node" : "nodes"}`;
    place.replaceChildren(svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": title },
      lines, svg("circle", { cx: middle[0], cy: middle[1], r: 13, class: "dot own" }),
      svg("text", { x: middle[0], y: middle[1] + 30, class: "own" }, own()), dots));
  }
  return { place, draw };
}
