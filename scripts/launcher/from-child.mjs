/**
 * What the launcher and its two children, the server and the local drone, say to each other over
 * Node's IPC channel. Every message is an object with a `type`.
 *
 * server -> launcher
 *   { type: "ready", url, setupUrl?, localUrl? }  it listens. `setupUrl` while there is no owner.
 *                                                 `localUrl`: where this machine reaches it, when
 *                                                 `url` is a public name.
 *   { type: "enrollment", code, server }          the local drone's one-time code
 * drone -> launcher
 *   { type: "need-enrollment" }                   it has no credential, or a refused one
 *   { type: "online" }                            the server has accepted it
 * either -> launcher
 *   { type: "fatal", message }                    a sentence for a person; everything stops
 * launcher -> server
 *   { type: "need-enrollment" }                   answered with "enrollment"
 * launcher -> drone
 *   { type: "server", url }                       where the server is, each time it becomes ready
 *   { type: "enroll", server, code }
 * launcher -> either
 *   { type: "stop" }                              end within 4 s; then it is killed
 *
 * The server is also given, at once and on its standard input, what of its environment nobody else
 * may read, as one JSON object: a process's environment can be read by every command of its user.
 *
 * A child whose channel is disconnected has lost its launcher and must exit. Exit code 78 means
 * that starting again would not help (a port in use, a bad setting): it is not restarted.
 */

/** The exit code of a child that must not be started again. */
export const exitDoNotRestart = 78;

/**
 * @typedef {{ type: "ready", url: string, setupUrl?: string, localUrl?: string }} Ready
 * @typedef {{ type: "enrollment", code: string, server: string }} Enrollment
 * @typedef {{ type: "fatal", message: string }} Fatal
 * @typedef {Ready | Enrollment | Fatal | { type: "need-enrollment" } | { type: "online" }} FromChild
 */

/** @type {Record<FromChild["type"], { required: string[], optional: string[] }>} */
const fields = {
  ready: { required: ["url"], optional: ["setupUrl", "localUrl"] },
  enrollment: { required: ["code", "server"], optional: [] },
  fatal: { required: ["message"], optional: [] },
  "need-enrollment": { required: [], optional: [] },
  online: { required: [], optional: [] },
};

/**
 * @param {unknown} message
 * @returns {FromChild | undefined} undefined: not a message of this protocol
 */
export function parseFromChild(message) {
  if (typeof message !== "object" || message === null) {
    return undefined;
  }
  const record = /** @type {Record<string, unknown>} */ (message);
  const { type } = record;
  if (typeof type !== "string" || !Object.hasOwn(fields, type)) {
    return undefined;
  }
  const { required, optional } = fields[/** @type {FromChild["type"]} */ (type)];
  const fits =
    required.every((field) => typeof record[field] === "string") &&
    optional.every((field) => ["string", "undefined"].includes(typeof record[field]));
  return fits ? /** @type {FromChild} */ (message) : undefined;
}
