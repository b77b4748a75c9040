import { randomUUID } from "node:crypto";
import { Binary } from "bson";
import { docOf } from "../query/document.ts";
import type { Command } from "./command.ts";

/** Sessions carry nothing here (no transactions, no causal clock), so they need no registry. */
export const startSession: Command = {
  fields: [],
  run: () => {
    const id = Buffer.from(randomUUID().replaceAll("-", ""), "hex");
    return docOf({ id: { id: new Binary(id, 4) }, timeoutMinutes: 30 });
  },
};

const accepted: Command = { fields: [], run: () => docOf({}) };

export const endSessions = accepted;
export const refreshSessions = accepted;
export const killSessions = accepted;
export const killAllSessions = accepted;
export const killAllSessionsByPattern = accepted;
