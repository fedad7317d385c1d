// Elements made of values. Everything that comes from the node is put in as text, never as HTML.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat()) {
    if (child === null || child === undefined) continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return element;
}

/** An element: attributes, of which functions are handlers of events, and children. */
export function el(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** The same of a drawing. */
export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** Sets a text where it is another one, so that what is selected stays. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

// What follows a word, as in #Ref<0.1.2>, is no pid.
const PID = /(?<![\w#])<\d+\.\d+\.\d+>/g;

/** A text in which each pid of the node is a link to its page. */
export function linked(text) {
  const parts = [];
  let end = 0;
  for (const found of text.matchAll(PID)) {
    if (found.index > end) parts.push(text.slice(end, found.index));
    const pid = found[0];
    const isOwn = pid.startsWith("<0.");
    parts.push(isOwn ? el("a", { href: pageOf(pid) }, pid) : pid);
    end = found.index + pid.length;
  }
  if (end < text.length) parts.push(text.slice(end));
  return parts;
}

/** The address of a process's page. */
export function pageOf(pid) {
  return `#/process/${encodeURIComponent(pid)}`;
}
