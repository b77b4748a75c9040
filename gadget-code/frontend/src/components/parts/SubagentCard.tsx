import type { PartOf } from "@gadget/api";
import { ChevronRight } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { useSession } from "../../session/session-context.ts";

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
    <details
      ref={card}
      open={isOpen}
      onToggle={(event) => setOpen(event.currentTarget.open)}
      className="rounded-lg border border-line bg-raised text-[13px]"
    >
      <summary className="flex items-center gap-2 px-3 py-1.5 select-none hover:bg-hover">
        <ChevronRight
          aria-hidden="true"
          className={`-ml-1 size-3.5 shrink-0 text-faint ${isOpen ? "rotate-90" : ""}`}
        />
        <span
          aria-hidden="true"
          className={`size-1.5 shrink-0 rounded-full ${part.state === "running" ? "pulse bg-blue" : "bg-line-strong"}`}
        />
        <span className="shrink-0 font-medium">Subagent</span>
        <span title={part.title} className="min-w-0 flex-1 truncate text-muted">
          {part.title}
        </span>
        <span className="text-xs text-faint">{wordOf(part)}</span>
      </summary>
      {isOpen && (
        <div className="flex flex-col gap-2 border-t border-line p-3">
          {part.reason && <p className="text-orange">{part.reason}</p>}
          {children}
          {part.text && <p className="whitespace-pre-wrap">{part.text}</p>}
        </div>
      )}
    </details>
  );
}
