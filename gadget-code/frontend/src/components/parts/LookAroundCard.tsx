import type { Part, TurnId } from "@gadget/api";
import { useState } from "react";
import { FoldedCard } from "./FoldedCard.tsx";
import { lookAroundWords } from "./part-rows.ts";
import { ToolCard } from "./ToolCard.tsx";

export function LookAroundCard({ turnId, parts }: { turnId: TurnId; parts: readonly Part[] }) {
  const [isOpen, setOpen] = useState(false);
  const isLive = parts.some((part) => part.kind === "tool" && part.state !== "ended");
  return (
    <FoldedCard
      isOpen={isOpen}
      onToggle={setOpen}
      dot={isLive ? "pulse bg-blue" : "bg-line-strong"}
      summary={
        <>
          <span className="font-medium">{isLive ? "Looking around" : "Looked around"}</span>
          <span className="text-muted">{lookAroundWords(parts)}</span>
        </>
      }
    >
      <div className="flex flex-col gap-1.5 p-2">
        {parts.map(
          (part, index) =>
            // A model may use an id twice; parts are only ever added.
            part.kind === "tool" && <ToolCard key={index} turnId={turnId} part={part} />,
        )}
      </div>
    </FoldedCard>
  );
}
