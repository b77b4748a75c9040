import { defineTool } from "@gadget/agent";
import { z } from "zod";
import { wireCallId } from "../wire-call-id.ts";
import type { DroneToolContext } from "./tool-context.ts";

const input = z.object({
  question: z.string().min(1).max(10_000),
  options: z
    .array(z.object({ label: z.string().min(1), description: z.string().optional() }))
    .max(12)
    .optional()
    .describe("Answers to choose from; the user may still write something else."),
});

export const askUser = defineTool<typeof input, DroneToolContext>({
  name: "ask_user",
  description: "Asks the user a question and waits for the answer, for as long as it takes.",
  input,
  readOnly: true,
  timeoutMs: null,
  async run({ question, options }, { callId, agentId, questions, signal }) {
    const asked = { callId: wireCallId(callId, agentId), question, ...(options && { options }) };
    return questions.ask(asked, signal);
  },
});
