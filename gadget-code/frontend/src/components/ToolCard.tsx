import type { PartOf, TurnId } from "@gadget/api";
import { useState } from "react";
import { duration } from "../lib/duration.ts";
import { useSessionActions, useSessionFeed } from "../session/session-context.ts";
import { toolTitle } from "../session/tool-title.ts";
import { DiffView } from "./DiffView.tsx";
import { ToolOutput } from "./ToolOutput.tsx";

type ToolPart = PartOf<"tool">;

const outcomes: Record<NonNullable<ToolPart["outcome"]>, { word: string; look: string }> = {
  finished: { word: "", look: "text-faint" },
  failed: { word: "failed", look: "text-danger" },
  cancelled: { word: "cancelled", look: "text-yellow" },
  never_started: { word: "never started", look: "text-yellow" },
  unknown: { word: "outcome unknown", look: "text-orange" },
};

/** Shell and edits are open while they matter; reads and searches stay folded. */
const openAtFirst = new Set(["shell", "edit_file", "write_file"]);

export function ToolCard({ turnId, part }: { turnId: TurnId; part: ToolPart }) {
  const actions = useSessionActions();
  const [isOpen, setOpen] = useState(openAtFirst.has(part.name));
  const { verb, detail } = toolTitle(part);
  const isLive = part.state !== "ended";
  const outcome = part.outcome && outcomes[part.outcome];
  return (
    <details
      open={isOpen}
      onToggle={(event) => setOpen(event.currentTarget.open)}
      className="overflow-hidden rounded-lg border border-line bg-raised text-[13px]"
    >
      <summary className="flex items-center gap-2 px-3 py-1.5 select-none hover:bg-hover">
        <span
          aria-hidden="true"
          className={`size-1.5 shrink-0 rounded-full ${isLive ? "pulse bg-blue" : part.outcome === "failed" ? "bg-danger" : "bg-line-strong"}`}
        />
        <span className="shrink-0 font-medium">{verb}</span>
        <span className="min-w-0 flex-1 truncate font-mono text-xs text-muted">{detail}</span>
        {outcome?.word && <span className={outcome.look}>{outcome.word}</span>}
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
      </summary>
      {isOpen && <ToolBody turnId={turnId} part={part} />}
    </details>
  );
}

function ToolBody({ turnId, part }: { turnId: TurnId; part: ToolPart }) {
  const feed = useSessionFeed();
  const output = part.output === "" ? (part.result ?? "") : part.output;
  return (
    <div className="border-t border-line">
      {part.diff && <DiffView diff={part.diff} />}
      {!part.diff && output !== "" && <ToolOutput text={output} />}
      {part.outputCut && (
        <p className="border-t border-line px-3 py-1 text-xs text-faint">
          The output was shortened.{" "}
          <button
            type="button"
            className="rounded text-accent hover:underline"
            onClick={() => feed.loadWhole(turnId)}
          >
            Show all of it
          </button>
        </p>
      )}
      {!part.diff && output === "" && (
        <p className="px-3 py-1.5 text-xs text-faint">
          {part.state === "ended" ? "No output." : "No output yet."}
        </p>
      )}
    </div>
  );
}
