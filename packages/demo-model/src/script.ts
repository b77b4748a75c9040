import type { ApiError } from "./api-error.ts";
import type { Conversation } from "./conversation.ts";
import { fitArguments, type Wish } from "./fit-arguments.ts";
import type { JsonObject } from "./json.ts";

export interface PlannedCall {
  tool: string;
  input: JsonObject;
}

export interface Answer {
  kind: "answer";
  reasoning?: string;
  text: string;
  calls?: PlannedCall[];
  /** The connection is broken after the text, before any finish reason. */
  breaksOff?: true;
}

export type Step = Answer | { kind: "failure"; error: ApiError };

/** A pure function of the conversation: a retry or a replayed history gets the same step. */
export interface Script {
  id: string;
  words: RegExp;
  /** Its answers stand alone, without the introduction and without remarks on earlier turns. */
  isPlain?: true;
  next(conversation: Conversation): Step;
}

export function say(text: string): Answer {
  return { kind: "answer", text };
}

/** The calls of `wanted` whose tools the request offers. */
export function plan({ tools }: Conversation, wanted: Record<string, Wish[]>): PlannedCall[] {
  return Object.entries(wanted).flatMap(([name, wishes]) => {
    const tool = tools.find((offered) => offered.name === name);
    return tool ? [{ tool: name, input: fitArguments(tool.parameters, wishes) }] : [];
  });
}

/** Says `text` and makes the calls, or says which tool is missing. */
export function call(
  conversation: Conversation,
  text: string,
  wanted: Record<string, Wish[]>,
): Answer {
  const calls = plan(conversation, wanted);
  if (calls.length > 0) {
    return { kind: "answer", text, calls };
  }
  const names = Object.keys(wanted).map((name) => `\`${name}\``);
  return say(
    `This script needs the tool ${names.join(" or ")}, which I was not given here. A session whose approval allows it has it.`,
  );
}
