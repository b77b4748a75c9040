import type { AiMessage, AiProvider } from "@gadget/ai";
import { z } from "zod";
import type { AgentEnd, AgentEvent, ToolEnd } from "../src/agent-event.ts";
import { type AgentOptions, AgentRun } from "../src/agent-run.ts";
import { type AgentTool, defineTool, type ToolContext } from "../src/define-tool.ts";
import { aborted } from "./scripted-provider.ts";

type Options = Partial<AgentOptions<ToolContext>>;

/** What a run tells, and its end. */
export type Seen = AgentEvent | AgentEnd;

/** A run whose events are collected, and which can be waited for at any of them. */
export function startRun(provider: AiProvider, options: Options = {}) {
  const controller = new AbortController();
  const messages: AiMessage[] = options.messages ?? [{ role: "user", content: "Go" }];
  const events: Seen[] = [];
  const waiting = new Set<() => void>();
  const see = (event: Seen) => {
    events.push(event);
    for (const check of waiting) {
      check();
    }
  };
  const run = new AgentRun<ToolContext>({
    provider,
    model: "scripted",
    signal: controller.signal,
    tools: [],
    contextFor: (base) => base,
    emit: see,
    ...options,
    messages,
  });
  const done = run.run().then((end) => {
    see(end);
    return events;
  });
  return {
    run,
    controller,
    messages,
    events,
    done,
    /** Waits for the first event that fits. */
    seen: (fits: (event: Seen) => boolean) =>
      new Promise<Seen>((resolve) => {
        const check = () => {
          const found = events.find(fits);
          if (!found) {
            return;
          }
          waiting.delete(check);
          resolve(found);
        };
        waiting.add(check);
        check();
      }),
  };
}

export function toolEnds(events: readonly Seen[]): ToolEnd[] {
  return events.filter((event) => event.type === "tool:end");
}

export function ofType<Type extends AgentEvent["type"]>(
  events: readonly Seen[],
  type: Type,
): Extract<AgentEvent, { type: Type }>[] {
  return events.filter(
    (event): event is Extract<AgentEvent, { type: Type }> => event.type === type,
  );
}

/** Answers with its input. */
export const echo: AgentTool = defineTool({
  name: "echo",
  description: "Says it again",
  input: z.object({ text: z.string() }),
  readOnly: true,
  run: ({ text }) => Promise.resolve(`echo: ${text}`),
});

/** Runs until its signal fires, then ends early as a good tool does. */
export const hang: AgentTool = defineTool({
  name: "hang",
  description: "Waits for ever",
  input: z.object({}),
  timeoutMs: null,
  async run(_, { signal, output }) {
    output("hanging");
    await aborted(signal);
    return { text: "half done", stopped: true };
  },
});

/** Every call in the history has exactly one result, right behind its message. */
export function checkHistory(messages: readonly AiMessage[]): void {
  let open: string[] = [];
  for (const message of messages) {
    if (message.role === "tool") {
      if (!open.includes(message.callId)) {
        throw new Error(`No call for ${message.callId}`);
      }
      open = open.filter((id) => id !== message.callId);
    } else {
      if (open.length > 0) {
        throw new Error(`No result for ${open.join(", ")}`);
      }
      if (message.role !== "assistant") {
        continue;
      }
      open = message.content.flatMap((part) => (part.type === "toolcall" ? [part.id] : []));
    }
  }
  if (open.length > 0) {
    throw new Error(`No result for ${open.join(", ")}`);
  }
}
