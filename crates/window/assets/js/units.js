// Numbers as they are read: with their unit, and no more digits than say something.

const NONE = "–";
const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const three = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });
const BINARY = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
const DECIMAL = ["", "k", "M", "G", "T"];

function scaled(value, step, names, space) {
  let index = 0;
  let size = Math.abs(value);
  // What would be shown as a whole step is shown in the next unit.
  while (size >= step * 0.9995 && index + 1 < names.length) {
    size /= step;
    index += 1;
  }
  const text = size >= 1000 ? whole.format(size) : three.format(size);
  const name = names[index];
  return `${value < 0 ? "−" : ""}${text}${name === "" ? "" : space + name}`;
}

export function bytes(value) {
  return scaled(value, 1024, BINARY, " ");
}

export function seconds(value) {
  const size = Math.abs(value);
  if (size === 0) return "0 s";
  if (size < 1e-3) return `${three.format(value * 1e6)} µs`;
  if (size < 1) return `${three.format(value * 1e3)} ms`;
  if (size < 120) return `${three.format(value)} s`;
  return duration(value * 1000);
}

/** A time span in its two largest units. */
export function duration(ms) {
  const s = Math.floor(ms / 1000);
  if (s < 60) return `${s} s`;
  const m = Math.floor(s / 60);
  if (m < 60) return `${m} min ${s % 60} s`;
  const h = Math.floor(m / 60);
  if (h < 48) return `${h} h ${m % 60} min`;
  return `${Math.floor(h / 24)} d ${h % 24} h`;
}

export function time(unixMs) {
  return new Date(unixMs).toLocaleTimeString("en-GB");
}

/** A time, with its day if that is not this one. */
export function moment(unixMs) {
  const date = new Date(unixMs);
  const day = date.toDateString() === new Date().toDateString() ? "" : `${date.toLocaleDateString("en-GB")} `;
  return `${day}${time(unixMs)}`;
}

/** A number of a series, whose unit the node says. */
export function number(value, unit) {
  if (value === null || value === undefined || Number.isNaN(value)) return NONE;
  if (unit === "bytes") return bytes(value);
  if (unit === "bytes/s") return `${bytes(value)}/s`;
  if (unit === "seconds") return seconds(value);
  if (unit === "share") return `${three.format(value * 100)} %`;
  if (unit.endsWith("/s")) return `${scaled(value, 1000, DECIMAL, " ")}/s`;
  if (!Number.isInteger(value) && Math.abs(value) < 1000) return three.format(value);
  return value >= 1e6 ? scaled(value, 1000, DECIMAL, " ") : whole.format(value);
}

// Numbers that name something, and count nothing.
const NAMES = new Set(["number", "os_pid", "descriptor", "scheduler"]);

/** The value of a field of a row, by the unit in the field's name. */
export function field(name, value) {
  if (value === null || value === undefined) return NONE;
  if (typeof value === "number") {
    if (NAMES.has(name)) return String(value);
    if (name.endsWith("unix_ms")) return new Date(value).toLocaleString("en-GB");
    if (name.endsWith("_bytes") || name === "bytes") return bytes(value);
    if (name.endsWith("_ms")) return seconds(value / 1e3);
    if (name.endsWith("_us")) return seconds(value / 1e6);
    if (name.endsWith("_ns")) return seconds(value / 1e9);
    if (name.endsWith("bytes_per_s")) return `${bytes(value)}/s`;
    if (name.endsWith("_per_s")) return `${scaled(value, 1000, DECIMAL, " ")}/s`;
    if (name.endsWith("_percent")) return `${three.format(value)} %`;
    return Number.isInteger(value) ? whole.format(value) : three.format(value);
  }
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.map((item) => field(name, item)).join(", ");
  if (typeof value === "object") {
    return Object.entries(value).map(([key, item]) => `${title(key)} ${field(key, item)}`).join(", ");
  }
  return String(value);
}

/** What a field is called: its name without the unit. */
export function title(name) {
  const plain = name.replace(/_(bytes|unix_ms|ms|us|ns|percent)$/, "").replace(/_per_s$/, " per second").replace(/^(is|has)_/, "");
  const words = plain.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export { NONE };
