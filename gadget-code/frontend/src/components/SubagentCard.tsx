import type { Part, PartOf, TurnId } from "@gadget/api";
import { useState } from "react";
import { PartList } from "./PartList.tsx";

interface Props {
  turnId: TurnId;
  part: PartOf<"subagent">;
  all: readonly Part[];
}

function wordOf({ state, outcome }: PartOf<"subagent">): string {
  if (state === "running") return "working";
  if (state === "orphaned") return "result came after its parent had ended";
  return outcome?.replace("_", " ") ?? "ended";
}

export function SubagentCard({ turnId, part, all }: Props) {
  const [isOpen, setOpen] = useState(false);
  const own = all.filter((other) =>
    other.kind === "subagent"
      ? other.parentId === part.id
      : "agentId" in other && other.agentId === part.id,
  );
  return (
    <details
      open={isOpen}
      onToggle={(event) => setOpen(event.currentTarget.open)}
      className="rounded-lg border border-line bg-raised text-[13px]"
    >
      <summary className="flex items-center gap-2 px-3 py-1.5 select-none hover:bg-hover">
        <span
          aria-hidden="true"
          className={`size-1.5 shrink-0 rounded-full ${part.state === "running" ? "pulse bg-blue" : "bg-line-strong"}`}
        />
        <span className="shrink-0 font-medium">Subagent</span>
        <span className="min-w-0 flex-1 truncate text-muted">{part.title}</span>
        <span className="text-xs text-faint">{wordOf(part)}</span>
      </summary>
      {isOpen && (
        <div className="flex flex-col gap-2 border-t border-line p-3">
          {part.reason && <p className="text-orange">{part.reason}</p>}
          <PartList turnId={turnId} parts={own} all={all} />
          {part.text && <p className="whitespace-pre-wrap">{part.text}</p>}
        </div>
      )}
    </details>
  );
}
