import { setTimeout as delay } from "node:timers/promises";
import { defineTool } from "@gadget/agent";
import { z } from "zod";
import type { DroneToolContext } from "./tool-context.ts";

const input = z.object({
  seconds: z.number().positive().max(3_600),
});

export const wait = defineTool<typeof input, DroneToolContext>({
  name: "wait",
  description: "Waits, for example until something in the background has had time to work.",
  input,
  readOnly: true,
  timeoutMs: null,
  async run({ seconds }, { signal }) {
    await delay(seconds * 1000, undefined, { signal });
    return `Waited ${seconds} s.`;
  },
});
