// Asking the node. A node that does not answer in time is told of by an error, never waited for.

const PATIENCE_MS = 8000;

/** An answer that is an error; status 0 if there was no answer. */
export class Fault extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

async function send(path, options, patience = PATIENCE_MS) {
  const limit = AbortSignal.timeout(patience);
  const signal = options.signal ? AbortSignal.any([options.signal, limit]) : limit;
  let response;
  let body;
  try {
    response = await fetch(path, { credentials: "same-origin", cache: "no-store", ...options, signal });
    body = response.status === 204 ? null : await response.text();
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new Fault(0, limit.aborted ? "The node did not answer in time." : "The node cannot be reached.");
  }
  if (response.ok) return body;
  let why = `The node answered with status ${response.status}.`;
  try {
    why = JSON.parse(body).error ?? why;
  } catch {
    // It is no JSON, so there is nothing more to say.
  }
  if (response.status === 401 && path !== "login") document.dispatchEvent(new Event("token-needed"));
  throw new Fault(response.status, why);
}

/** The answer for a path below /api/v1 and parameters, of which those that are null are left out. */
export async function get(path, parameters = {}, signal = undefined, patience = PATIENCE_MS) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== null && value !== undefined && value !== "") query.set(name, String(value));
  }
  const text = query.size > 0 ? `?${query}` : "";
  return JSON.parse(await send(`api/v1${path === "" ? "" : "/"}${path}${text}`, { signal }, patience));
}

/** Has the node do something. */
export async function post(path) {
  await send(`api/v1/${path}`, { method: "POST" });
}

/** Shows the token to the node, which gives this browser a cookie for it. */
export async function login(token) {
  await send("login", { method: "POST", body: new URLSearchParams({ token }) });
}
