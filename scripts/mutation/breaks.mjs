/**
 * One way to break the abort path: `text` stands exactly once in `file`; with `broken` in its place
 * a test in `test` whose name cites `rule` must fail.
 * @typedef {{ name: string, rule: string, file: string, text: string, broken: string, test: string }} Break
 */

const turnLife = "gadget-code/test/turns/turn-life.test.ts";
const droneAbort = "gadget-drone/test/abort.test.ts";
const settleCall = "packages/agent/src/settle-call.test.ts";
const aiAbort = "packages/ai/test/abort.test.ts";
const escape = "gadget-code/frontend/src/lib/use-double-escape.test.tsx";

/** @type {Break[]} */
export const breaks = [
  {
    name: "compare-and-set is a plain write",
    rule: "A2",
    file: "gadget-code/src/turns/transition.ts",
    text: "{ $and: [where, { _id: turnId, status: from }] }",
    broken: "{ _id: turnId }",
    test: turnLife,
  },
  {
    name: "the fence of a lease is gone",
    rule: "A34",
    file: "gadget-code/src/turns/ingest.ts",
    text: "turn === undefined || turn.droneId !== droneId || turn.epoch !== epoch",
    broken: "turn === undefined",
    test: "gadget-code/test/turns/drone-loss.test.ts",
  },
  {
    name: "an ack waits without a limit",
    rule: "A32",
    file: "packages/api/src/messages/serve.ts",
    text: "socket.timeout(timeoutMs).emit(",
    broken: "socket.timeout(timeoutMs * 1000).emit(",
    test: turnLife,
  },
  {
    name: "a tombstone is ignored",
    rule: "A6",
    file: "gadget-drone/src/services/agent.ts",
    text: "this.#tombstones.has(turnId) || ",
    broken: "",
    test: droneAbort,
  },
  {
    name: "a tool is not checked before it starts",
    rule: "A16",
    file: "packages/agent/src/settle-call.ts",
    text: '  if (scope.signal.aborted) return notStarted("aborted");\n',
    broken: "",
    test: settleCall,
  },
  {
    name: "a tool is not checked after its permission",
    rule: "A16",
    file: "packages/agent/src/settle-call.ts",
    text: '  if (signal.aborted) return notStarted(scope.signal.aborted ? "aborted" : "cancelled");\n',
    broken: "",
    test: settleCall,
  },
  {
    name: "a tool that ignores its signal is waited for",
    rule: "A17",
    file: "packages/agent/src/settle-call.ts",
    text: "deadlineMs: scope.abortDeadlineMs",
    broken: "deadlineMs: 2 ** 30",
    test: settleCall,
  },
  {
    name: "the back-off ignores the signal",
    rule: "A13",
    file: "packages/ai/src/stream-answer.ts",
    text: "await waitOrAbort(waitMs, signal);",
    broken: "await waitOrAbort(waitMs, new AbortController().signal);",
    test: aiAbort,
  },
  {
    name: "an answer is not checked after its loop",
    rule: "A12",
    file: "packages/ai/src/stream-answer.ts",
    text: '    if (signal.aborted) {\n      yield failed(makeFailure("aborted"));\n      return;\n    }\n    if (reading.done) {',
    broken: "    if (reading.done) {",
    test: aiAbort,
  },
  {
    name: "the connection does not hear the signal",
    rule: "A13",
    file: "packages/ai/src/exchange.ts",
    text: '      signal.addEventListener("abort", this.#onAbort, { once: true });\n',
    broken: "",
    test: aiAbort,
  },
  {
    name: "the Esc listener stays",
    rule: "A40",
    file: "gadget-code/frontend/src/lib/use-double-escape.ts",
    text: '      window.removeEventListener("keydown", decide);\n',
    broken: "",
    test: escape,
  },
  {
    name: "a held Esc key counts",
    rule: "A40",
    file: "gadget-code/frontend/src/lib/use-double-escape.ts",
    text: " || event.repeat",
    broken: "",
    test: escape,
  },
  {
    name: "the outbox drops what is not acknowledged on a reconnect",
    rule: "A35",
    file: "gadget-drone/src/outbox.ts",
    text: "this.#sentSeq = (this.#unstored[0]?.event.seq ?? this.#nextSeq) - 1;\n    this.#completionSent",
    broken: "this.#completionSent",
    test: "gadget-drone/src/outbox.test.ts",
  },
  {
    name: "the lease never ends",
    rule: "A34",
    file: "gadget-drone/src/lease.ts",
    text: "return this.#leftOf(graceMs) > 0;",
    broken: "return graceMs > 0;",
    test: "gadget-drone/src/lease.test.ts",
  },
  {
    name: "a drone that gave a turn up goes on as before",
    rule: "A34",
    file: "gadget-drone/src/gadget-drone.ts",
    text: "if (socket !== this.#socket || !outboxes.gaveUp) schedule();",
    broken: "if (socket !== this.#socket || outboxes) schedule();",
    test: "proof/test/faults.test.ts",
  },
  {
    name: "a turn that ends meanwhile is taken up",
    rule: "A7",
    file: "gadget-code/src/turns/event-log.ts",
    text: "return goesOn === null ? undefined : storedSeq;",
    broken: "return goesOn === null ? storedSeq : storedSeq;",
    test: "gadget-code/test/turns/drone-loss.test.ts",
  },
  {
    name: "a question stays open",
    rule: "A22",
    file: "gadget-drone/src/questions.ts",
    text: '      signal.addEventListener("abort", onAbort, { once: true });\n',
    broken: "",
    test: droneAbort,
  },
  {
    name: "subagents don't hear the abort",
    rule: "A26",
    file: "packages/agent/src/subagents.ts",
    text: "AbortSignal.any([signal, stop.signal])",
    broken: "stop.signal",
    test: "packages/agent/src/subagents.test.ts",
  },
  {
    name: "the process group is not killed",
    rule: "A18",
    file: "gadget-drone/src/process/supervisor-script.ts",
    text: "  kill $signal, -$_ for keys %groups;\n",
    broken: "",
    test: "gadget-drone/test/shell.test.ts",
  },
  {
    name: "a wait does not race the signal",
    rule: "A23",
    file: "gadget-drone/src/tools/wait.ts",
    text: "await delay(seconds * 1000, undefined, { signal });",
    broken: "await delay(seconds * (signal.aborted ? 1 : 1000));",
    test: droneAbort,
  },
];
