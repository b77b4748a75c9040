import { CallId } from "@gadget/api";

/** How packages/agent names the turn's own agent. */
export const rootAgent = "root";

/** A subagent's model counts its calls from one again; the turn needs names of its own for them. */
export function wireCallId(callId: string, agentId: string | undefined): CallId {
  const own = agentId === undefined || agentId === rootAgent;
  return CallId.parse((own ? callId : `${agentId}:${callId}`).slice(-200));
}

/** Whose call it is, and by which name that agent knows it. */
export function callOf(callId: CallId): { agentId: string; callId: string } {
  const [, agentId, own] = /^(agent-[0-9a-f]+):(.*)$/s.exec(callId) ?? [];
  return agentId === undefined || own === undefined
    ? { agentId: rootAgent, callId }
    : { agentId, callId: own };
}
