import type { Part, TurnId } from "@gadget/api";
import { ChevronRight } from "lucide-react";
import { useState } from "react";
import { lookAroundWords } from "./part-rows.ts";
import { ToolCard } from "./ToolCard.tsx";

export function LookAroundCard({ turnId, parts }: { turnId: TurnId; parts: readonly Part[] }) {
  const [isOpen, setOpen] = useState(false);
  const isLive = parts.some((part) => part.kind === "tool" && part.state !== "ended");
  return (
    <details
      open={isOpen}
      onToggle={(event) => setOpen(event.currentTarget.open)}
      className="overflow-hidden rounded-lg border border-line bg-raised text-[13px]"
    >
      <summary className="flex items-center gap-2 px-3 py-1.5 select-none hover:bg-hover">
        <ChevronRight
          aria-hidden="true"
          className={`-ml-1 size-3.5 shrink-0 text-faint ${isOpen ? "rotate-90" : ""}`}
        />
        <span
          aria-hidden="true"
          className={`size-1.5 shrink-0 rounded-full ${isLive ? "pulse bg-blue" : "bg-line-strong"}`}
        />
        <span className="font-medium">{isLive ? "Looking around" : "Looked around"}</span>
        <span className="text-muted">{lookAroundWords(parts)}</span>
      </summary>
      {isOpen && (
        <div className="flex flex-col gap-1.5 border-t border-line p-2">
          {parts.map(
            (part, index) =>
              // A model may use an id twice; parts are only ever added.
              part.kind === "tool" && <ToolCard key={index} turnId={turnId} part={part} />,
          )}
        </div>
      )}
    </details>
  );
}
