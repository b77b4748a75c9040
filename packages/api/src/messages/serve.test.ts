import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { newId, TurnId } from "../id.ts";
import { RefusalError } from "../refusal.ts";
import { abortCommand, command, notice } from "./command.ts";
import { ask, type ListeningSocket, serve, subscribe } from "./serve.ts";

type Listener = (...args: unknown[]) => void;

/** Two ends of one connection, as socket.io gives them to us, without a network. */
function pair() {
  const listeners = new Set<Listener>();
  const server: ListeningSocket = {
    onAny: (listener) => listeners.add(listener),
    offAny: (listener) => listeners.delete(listener),
  };
  const emit = (event: string, ...args: unknown[]) => {
    for (const listener of listeners) {
      listener(event, ...args);
    }
  };
  const client = {
    timeout: () => ({
      emit: (event: string, ...args: unknown[]) => {
        const ack = args.pop() as Listener;
        emit(event, ...args, (...answer: unknown[]) => ack(null, ...answer));
      },
    }),
  };
  return { server, client, emit };
}

const table = {
  add: command(
    z.tuple([z.strictObject({ a: z.number(), b: z.number() })]),
    z.object({ sum: z.number() }),
  ),
  refuse: command(z.tuple([z.strictObject({})]), z.object({})),
  crash: command(z.tuple([z.strictObject({})]), z.object({})),
  abortWorkOrder: abortCommand(TurnId),
  workOrderComplete: command(z.tuple([TurnId, z.boolean(), z.optional(z.string())]), z.object({})),
};
const notices = { told: notice(z.tuple([z.object({ text: z.string() })])) };

function serving() {
  const { server, client, emit } = pair();
  const errors: unknown[] = [];
  const completed: unknown[][] = [];
  const stop = serve(
    server,
    table,
    {
      add: ({ a, b }) => ({ sum: a + b }),
      refuse: () => {
        throw new RefusalError("busy");
      },
      crash: () => Promise.reject(new Error("a secret of the server")),
      abortWorkOrder: () => ({ success: true, message: "Abort signaled" }),
      workOrderComplete: (...args) => {
        completed.push(args);
        return {};
      },
    },
    (event, error) => errors.push([event, error]),
  );
  return { client, emit, errors, completed, stop };
}

function raw(emit: (event: string, ...args: unknown[]) => void, event: string, ...args: unknown[]) {
  return new Promise<unknown[]>((resolve) => {
    emit(event, ...args, (...answer: unknown[]) => resolve(answer));
  });
}

describe("serve", () => {
  it("answers a command", async () => {
    const { client } = serving();
    await expect(ask(client, table, "add", [{ a: 1, b: 2 }], 100)).resolves.toEqual({ sum: 3 });
  });

  it("refuses bad input, an unknown key and a missing argument as invalid, and names the field", async () => {
    const { emit } = serving();
    for (const args of [[{ a: 1, b: "2" }], [{ a: 1, b: 2, c: 3 }], [], [{ a: 1, b: 2 }, "more"]]) {
      const [answer] = await raw(emit, "add", ...args);
      expect(answer).toMatchObject({ error: { code: "invalid" } });
    }
    const [answer] = await raw(emit, "add", { a: 1, b: 2, extra: 3 });
    expect(answer).toMatchObject({ error: { message: expect.stringContaining('"extra"') } });
  });

  it("refuses an event that does not exist, also one that every object inherits", async () => {
    const { emit } = serving();
    for (const event of ["nothing", "toString", "__proto__", "constructor"]) {
      expect(await raw(emit, event, {})).toMatchObject([{ error: { code: "invalid" } }]);
    }
  });

  it("passes on a refusal's code, and hides what any other error says", async () => {
    const { client, errors } = serving();
    await expect(ask(client, table, "refuse", [{}], 100)).rejects.toMatchObject({ code: "busy" });
    await expect(ask(client, table, "crash", [{}], 100)).rejects.toMatchObject({
      code: "internal",
      message: expect.not.stringContaining("secret"),
    });
    expect(errors).toEqual([["crash", new Error("a secret of the server")]]);
  });

  it("A4 keeps the abort callback's form, also when it refuses", async () => {
    const { emit, client } = serving();
    expect(await raw(emit, "abortWorkOrder", newId(TurnId))).toEqual([true, "Abort signaled"]);
    expect(await raw(emit, "abortWorkOrder", { $ne: null })).toEqual([
      false,
      expect.stringContaining("Not valid"),
    ]);
    await expect(ask(client, table, "abortWorkOrder", [newId(TurnId)], 100)).resolves.toEqual({
      success: true,
      message: "Abort signaled",
    });
  });

  it("takes workOrderComplete with and without a message and an acknowledgement", async () => {
    const { emit, completed } = serving();
    const turnId = newId(TurnId);
    expect(await raw(emit, "workOrderComplete", turnId, true, "aborted")).toEqual([{}]);
    expect(await raw(emit, "workOrderComplete", turnId, true)).toEqual([{}]);
    emit("workOrderComplete", turnId, false, "it broke");
    await Promise.resolve();
    expect(completed).toEqual([
      [turnId, true, "aborted"],
      [turnId, true],
      [turnId, false, "it broke"],
    ]);
  });

  it("hears nothing any more once it is stopped", async () => {
    const { emit, stop, completed } = serving();
    stop();
    emit("workOrderComplete", newId(TurnId), true);
    await Promise.resolve();
    expect(completed).toEqual([]);
  });
});

describe("subscribe", () => {
  it("drops and reports what can't be read, and ignores unknown keys and events", () => {
    const { server, emit } = pair();
    const heard: unknown[] = [];
    const errors: string[] = [];
    subscribe(server, notices, { told: (value) => heard.push(value) }, (event) => {
      errors.push(event);
    });
    emit("told", { text: "one", newer: true });
    emit("told", { text: 2 });
    emit("toldToNobody", {});
    expect(heard).toEqual([{ text: "one" }]);
    expect(errors).toEqual(["told"]);
  });
});

describe("ask", () => {
  it("A32 gives up when nobody answers", async () => {
    const silent = {
      timeout: () => ({
        emit: (_event: string, ...args: unknown[]) =>
          (args.at(-1) as Listener)(new Error("timeout")),
      }),
    };
    await expect(ask(silent, table, "add", [{ a: 1, b: 1 }], 5)).rejects.toMatchObject({
      code: "unavailable",
    });
  });

  it("leaves an optional argument out where it is undefined", async () => {
    const { client, completed } = serving();
    const turnId = newId(TurnId);
    await ask(client, table, "workOrderComplete", [turnId, true, undefined], 100);
    expect(completed).toEqual([[turnId, true]]);
  });

  it("does not take an answer that does not fit", async () => {
    const wrong = {
      timeout: () => ({
        emit: (_event: string, ...args: unknown[]) => (args.at(-1) as Listener)(null, { sum: "3" }),
      }),
    };
    await expect(ask(wrong, table, "add", [{ a: 1, b: 1 }], 5)).rejects.toMatchObject({
      code: "internal",
    });
  });
});
