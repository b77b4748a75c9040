import type { PartOf } from "@gadget/api";
import { useSession } from "../session/session-context.ts";
import type { SessionState } from "../session/session-state.ts";

type Subagent = PartOf<"subagent">;

function latestAgents({
  order,
  turns,
}: Pick<SessionState, "order" | "turns">): readonly Subagent[] | undefined {
  for (const id of order.toReversed()) {
    const parts = turns.get(id)?.transcript.parts ?? [];
    if (parts.some(({ kind }) => kind === "subagent")) {
      return parts.filter((part): part is Subagent => part.kind === "subagent");
    }
  }
  return undefined;
}

/** The tree of subagents of the latest turn that has any. */
export function AgentsPane() {
  const turns = useSession((state) => state.turns);
  const order = useSession((state) => state.order);
  const agents = latestAgents({ turns, order });
  if (agents === undefined) {
    return <p className="text-[13px] text-muted">No turn has started a subagent yet.</p>;
  }
  const known = new Set(agents.map(({ id }) => id));
  return <Branch agents={agents} of={agents.filter(({ parentId }) => !known.has(parentId))} />;
}

function Branch({ agents, of }: { agents: readonly Subagent[]; of: readonly Subagent[] }) {
  return (
    <ul className="flex flex-col gap-1 [&_ul]:mt-1 [&_ul]:border-l [&_ul]:border-line [&_ul]:pl-3">
      {of.map((agent) => {
        const children = agents.filter(({ parentId }) => parentId === agent.id);
        return (
          <li key={agent.id} className="text-[13px]">
            <span className="flex items-baseline gap-2">
              <span
                aria-hidden="true"
                className={`size-1.5 shrink-0 rounded-full ${agent.state === "running" ? "pulse bg-blue" : "bg-line-strong"}`}
              />
              <span className="min-w-0 flex-1">{agent.title}</span>
              <span className="text-xs text-faint">
                {agent.state === "running"
                  ? "working"
                  : (agent.outcome ?? agent.state).replace("_", " ")}
                {agent.critical && " · critical"}
              </span>
            </span>
            {children.length > 0 && <Branch agents={agents} of={children} />}
          </li>
        );
      })}
    </ul>
  );
}
