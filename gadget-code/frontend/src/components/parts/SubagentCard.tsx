import type { PartOf } from "@gadget/api";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { useSession } from "../../session/session-context.ts";
import { FoldedCard } from "./FoldedCard.tsx";

interface Props {
  part: PartOf<"subagent">;
  /** What it said and did. */
  children: ReactNode;
}

function wordOf({ state, outcome }: PartOf<"subagent">): string {
  if (state === "running") {
    return "working";
  }
  if (state === "orphaned") {
    return "result came after its parent had ended";
  }
  return outcome?.replace("_", " ") ?? "ended";
}

export function SubagentCard({ part, children }: Props) {
  const [isOpen, setOpen] = useState(false);
  const card = useRef<HTMLDetailsElement>(null);
  const shown = useSession((state) => state.shownAgent);
  const [seen, setSeen] = useState<typeof shown>();
  if (shown !== seen) {
    setSeen(shown);
    if (shown?.includes(part.id)) {
      setOpen(true);
    }
  }
  useEffect(() => {
    if (shown?.at(-1) !== part.id) {
      return;
    }
    card.current?.scrollIntoView({ block: "start" });
    card.current?.querySelector("summary")?.focus({ preventScroll: true });
  }, [shown, part.id]);
  return (
    <FoldedCard
      ref={card}
      isOpen={isOpen}
      onToggle={setOpen}
      dot={part.state === "running" ? "pulse bg-blue" : "bg-line-strong"}
      summary={
        <>
          <span className="shrink-0 font-medium">Subagent</span>
          <span title={part.title} className="min-w-0 flex-1 truncate text-muted">
            {part.title}
          </span>
          <span className="text-xs text-faint">{wordOf(part)}</span>
        </>
      }
    >
      <div className="flex flex-col gap-2 p-3">
        {part.reason && <p className="text-orange">{part.reason}</p>}
        {children}
        {part.text && <p className="whitespace-pre-wrap">{part.text}</p>}
      </div>
    </FoldedCard>
  );
}
