import type { AiToolCall, AiToolMessage } from "@gadget/ai";
import type { ToolContext } from "./define-tool.ts";
import { type CallScope, settleCall } from "./settle-call.ts";
import type { NotStarted } from "./tool-texts.ts";

const maxAtOnce = 8;

/**
 * Settles the calls of one answer; results are in the order of the calls. Neighbouring calls of
 * parallel tools (those that only read, and subagents) run at the same time, every other call runs
 * alone and after all before it, so that a model may write a file and then test it in one answer.
 * `skip` is asked before each group: what came meanwhile keeps the rest from starting.
 */
export async function settleCalls<Context extends ToolContext>(
  calls: readonly AiToolCall[],
  scope: CallScope<Context>,
  skip: () => NotStarted | undefined,
): Promise<AiToolMessage[]> {
  const cancelled = new Set<string>();
  for (const { id } of calls) {
    scope.cancels.set(id, () => cancelled.add(id));
  }
  const results: AiToolMessage[] = [];
  for (const group of groups(calls, scope)) {
    const characters = results.reduce((sum, { content }) => sum + lengthOf(content), 0);
    const limit = await scope.resultLimit({ characters, atOnce: group.length }, scope.signal);
    const reason = skip();
    const settling = group.map((call) =>
      settleCall(call, scope, cancelled.has(call.id) ? "cancelled" : reason, limit),
    );
    results.push(...(await Promise.all(settling)));
  }
  return results;
}

function groups<Context extends ToolContext>(
  calls: readonly AiToolCall[],
  { tools }: CallScope<Context>,
): AiToolCall[][] {
  const list: AiToolCall[][] = [];
  let open = false;
  for (const call of calls) {
    const parallel = tools.get(call.name)?.parallel ?? false;
    const last = list.at(-1);
    if (last && open && parallel && last.length < maxAtOnce) {
      last.push(call);
    } else {
      list.push([call]);
    }
    open = parallel;
  }
  return list;
}

function lengthOf(content: AiToolMessage["content"]): number {
  if (typeof content === "string") {
    return content.length;
  }
  return content.reduce((sum, part) => sum + (part.type === "text" ? part.text.length : 0), 0);
}
