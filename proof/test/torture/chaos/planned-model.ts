import { setTimeout as delay } from "node:timers/promises";
import type { ModelCall } from "@gadget/testing/scripted-model";
import { beganCommand, stubbornCommand, type TurnPlan } from "./turn-plan.ts";

const wordMs = 30;
const toolRounds = 4;

/** A model that does what the plan of each prompt says. */
export class PlannedModel {
  /** When each turn's model was asked last, by the plan's key. */
  readonly askedAt = new Map<string, number>();
  readonly #plans = new Map<string, TurnPlan>();

  add(plan: TurnPlan): void {
    this.#plans.set(plan.key, plan);
  }

  async answer(call: ModelCall): Promise<void> {
    const { messages } = call.request;
    const keyIn = (content: unknown) =>
      /plan (s\d+-\d+)\./.exec(JSON.stringify(content) ?? "")?.[1];
    const at = messages.findLastIndex(({ role, content }) => role === "user" && keyIn(content));
    const plan = this.#plans.get(keyIn(messages[at]?.content) ?? "");
    if (plan === undefined) {
      call.refuse(400);
      return;
    }
    this.askedAt.set(plan.key, Date.now());
    const round = messages.slice(at).filter(({ role }) => role === "assistant").length;
    if (round === 0 || (plan.kind === "tools" && round < toolRounds)) {
      await begin(plan, round, call);
    } else {
      call.text("All done.");
    }
    if (!call.isClosed) {
      call.end();
    }
  }
}

async function begin(plan: TurnPlan, round: number, call: ModelCall): Promise<void> {
  const { key, kind, words, waitSeconds } = plan;
  if (kind === "text") {
    for (let word = 1; word <= words && !call.isClosed; word += 1) {
      call.text(wordOf(word));
      await delay(wordMs);
    }
  } else if (kind === "wait") {
    call.tool("wait", { seconds: waitSeconds });
  } else if (kind === "ask") {
    call.tool("ask_user", { question: "Which one?" });
  } else if (kind === "shell") {
    call.tool("shell", { command: stubbornCommand(plan) });
  } else {
    call.text(`Round ${round}.`);
    call.tool("shell", { command: beganCommand(key) });
    call.tool("write_file", { path: `${key}.txt`, content: `${round}\n` });
    call.tool("list_files", { path: "." });
  }
}

const wordOf = (number: number): string => `w${number} `;

/** What a text turn that was let to its end has said. */
export function storyOf({ words }: TurnPlan): string {
  return Array.from({ length: words }, (_, index) => wordOf(index + 1)).join("");
}
