import { duration, type PartOf, type TurnId } from "@gadget/api";
import { useState } from "react";
import { useSession, useSessionActions } from "../../session/session-context.ts";
import { approvalOf } from "../../session/turn-entry.ts";
import { FoldedCard } from "./FoldedCard.tsx";
import { ToolBody } from "./ToolBody.tsx";
import { exitWord, toolTitle } from "./tool-title.ts";

type ToolPart = PartOf<"tool">;

const outcomes: Record<NonNullable<ToolPart["outcome"]>, { word: string; look: string }> = {
  finished: { word: "", look: "text-faint" },
  failed: { word: "failed", look: "text-danger" },
  cancelled: { word: "cancelled", look: "text-yellow" },
  // Its title says so.
  never_started: { word: "", look: "text-yellow" },
  unknown: { word: "outcome unknown", look: "text-orange" },
};

/** Shell and edits are open while they matter; reads and searches stay folded. */
const openAtFirst = new Set(["shell", "edit_file", "write_file"]);

function dotOf({ state, outcome }: ToolPart, isAsking: boolean): string {
  if (isAsking || outcome === "never_started") {
    return "bg-yellow";
  }
  if (state !== "ended") {
    return "pulse bg-blue";
  }
  return outcome === "failed" ? "bg-danger" : "bg-line-strong";
}

export function ToolCard({ turnId, part }: { turnId: TurnId; part: ToolPart }) {
  const actions = useSessionActions();
  const approval = useSession((state) => approvalOf(state.turns.get(turnId), part));
  const isAsking = approval?.open === true;
  const [isOpen, setOpen] = useState(openAtFirst.has(part.name));
  const { verb, detail } = toolTitle(part, approval);
  const outcome = part.outcome && outcomes[part.outcome];
  return (
    <FoldedCard
      isOpen={isOpen}
      onToggle={setOpen}
      dot={dotOf(part, isAsking)}
      summary={
        <>
          <span className="shrink-0 font-medium">{verb}</span>
          <span className="min-w-0 flex-1 truncate font-mono text-xs text-muted" title={detail}>
            {detail}
          </span>
          {outcome?.word && <span className={outcome.look}>{exitWord(part) ?? outcome.word}</span>}
          {part.durationMs !== undefined && (
            <span className="shrink-0 text-xs text-faint tabular-nums">
              {duration(part.durationMs)}
            </span>
          )}
          {part.state === "running" && (
            <button
              type="button"
              className="shrink-0 rounded px-1.5 text-xs text-muted hover:bg-hover hover:text-danger"
              onClick={(event) => {
                event.preventDefault();
                void actions.cancelTool(turnId, part.id);
              }}
            >
              Stop
            </button>
          )}
        </>
      }
    >
      <ToolBody turnId={turnId} part={part} approval={approval} />
    </FoldedCard>
  );
}
