import type { AiMessage } from "@gadget/ai";
import { expect, it } from "vitest";
import { checkHistory } from "../test/agent-fixture.ts";
import { trimHistory } from "./trim-history.ts";

it("keeps instructions, task and the newest messages, and no result without its call", () => {
  const head: AiMessage[] = [
    { role: "system", content: "Be short" },
    { role: "user", content: "Count" },
  ];
  const messages = [...head];
  for (let n = 0; n < 40; n++) {
    const id = `c${n}`;
    const call = {
      type: "toolcall" as const,
      id,
      name: "t",
      arguments: { ok: true as const, value: {} },
    };
    messages.push({ role: "assistant", content: [call] });
    messages.push({ role: "tool", callId: id, content: "ok" });
    const sent = trimHistory(messages, 9);
    expect(sent.length).toBeLessThanOrEqual(9);
    expect(sent.slice(0, 2)).toEqual(head);
    expect(sent.at(-1)).toMatchObject({ callId: id });
    checkHistory(sent);
  }
});
