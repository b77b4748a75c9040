import type { PartOf } from "@gadget/api";
import { useSession, useSessionFeed } from "../../session/session-context.ts";
import type { SessionState } from "../../session/session-state.ts";

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

/** The tree of subagents of the latest turn that has any; each leads to its card. */
export function AgentsPane({ onShow }: { onShow: () => void }) {
  const { store } = useSessionFeed();
  const turns = useSession((state) => state.turns);
  const order = useSession((state) => state.order);
  const agents = latestAgents({ turns, order });
  if (agents === undefined) {
    return <p className="text-[13px] text-muted">No turn has started a subagent yet.</p>;
  }
  const known = new Set(agents.map(({ id }) => id));
  const show = (path: readonly string[]): void => {
    store.setState({ shownAgent: path });
    onShow();
  };
  const of = agents.filter(({ parentId }) => !known.has(parentId));
  return <Branch agents={agents} of={of} above={[]} onShow={show} />;
}

interface BranchProps {
  agents: readonly Subagent[];
  of: readonly Subagent[];
  /** The way down to it. */
  above: readonly string[];
  onShow: (path: readonly string[]) => void;
}

function Branch({ agents, of, above, onShow }: BranchProps) {
  return (
    <ul className="flex flex-col gap-1 [&_ul]:mt-1 [&_ul]:border-l [&_ul]:border-line [&_ul]:pl-3">
      {of.map((agent) => {
        const path = [...above, agent.id];
        const children = agents.filter(({ parentId }) => parentId === agent.id);
        return (
          <li key={agent.id} className="text-[13px]">
            <button
              type="button"
              className="flex w-full items-baseline gap-2 rounded-md px-1.5 py-1 text-left hover:bg-hover"
              onClick={() => onShow(path)}
            >
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
            </button>
            {children.length > 0 && (
              <Branch agents={agents} of={children} above={path} onShow={onShow} />
            )}
          </li>
        );
      })}
    </ul>
  );
}
