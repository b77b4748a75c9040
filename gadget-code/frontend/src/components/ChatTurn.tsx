import type { Part, TurnId } from "@gadget/api";
import { type CSSProperties, memo, useLayoutEffect, useRef, useState } from "react";
import { withoutCurrentWait } from "../session/model-wait-words.ts";
import { useTurn } from "../session/session-context.ts";
import { isRunning, statusOf, type TurnEntry } from "../session/turn-entry.ts";
import { PartList } from "./parts/PartList.tsx";
import { TurnFooter } from "./turn/TurnFooter.tsx";
import { TurnOutcome } from "./turn/TurnOutcome.tsx";
import { TurnPrompt } from "./turn/TurnPrompt.tsx";
import { WorkingLine } from "./turn/WorkingLine.tsx";

/** What a subagent said and did, and the subagents that it started, stand inside its own card. */
function ownParts({ transcript }: TurnEntry): Part[] {
  const parts = withoutCurrentWait(transcript);
  const agents = new Set(parts.flatMap((part) => (part.kind === "subagent" ? [part.id] : [])));
  if (agents.size === 0) {
    return parts;
  }
  return parts.filter((part) =>
    part.kind === "subagent"
      ? !agents.has(part.parentId)
      : !("agentId" in part) || part.agentId === undefined || !agents.has(part.agentId),
  );
}

export const ChatTurn = memo(function ChatTurn({ turnId }: { turnId: TurnId }) {
  const entry = useTurn(turnId);
  return entry === undefined ? null : <TurnArticle entry={entry} />;
});

function TurnArticle({ entry }: { entry: TurnEntry }) {
  const { id: turnId } = entry.turn;
  const running = isRunning(entry);
  const { ref, settled } = useSettledLook(running);
  const heading = `turn-${turnId}`;
  return (
    <article
      ref={ref}
      data-turn-id={turnId}
      data-status={statusOf(entry)}
      aria-labelledby={heading}
      aria-busy={running}
      className={`flex flex-col gap-3 py-4 ${settled ? "settled-turn" : ""}`}
      style={settled}
    >
      <TurnPrompt turn={entry.turn} headingId={heading} />
      <div className="flex min-w-0 flex-col gap-2.5" aria-live="off">
        <PartList
          turnId={turnId}
          parts={ownParts(entry)}
          all={entry.transcript.parts}
          cut={entry.transcript.partsCut ?? 0}
        />
      </div>
      {running ? <WorkingLine entry={entry} /> : <TurnOutcome entry={entry} />}
      {!running && <TurnFooter entry={entry} />}
    </article>
  );
}

/**
 * A settled turn is drawn only where it is in sight. One that settles here is measured first: the
 * browser would take it for small for a moment, and who reads further up would be moved.
 */
function useSettledLook(running: boolean) {
  const ref = useRef<HTMLElement>(null);
  const [settled, setSettled] = useState<CSSProperties | undefined>(running ? undefined : {});
  useLayoutEffect(() => {
    if (running) {
      return;
    }
    setSettled((held) => {
      return held ?? { containIntrinsicBlockSize: `auto ${ref.current?.offsetHeight ?? 0}px` };
    });
  }, [running]);
  return { ref, settled: running ? undefined : settled };
}
