import type { Part, TurnId } from "@gadget/api";
import { memo, useState } from "react";
import { useSessionFeed } from "../../session/session-context.ts";
import { LookAroundCard } from "./LookAroundCard.tsx";
import { MessagePart } from "./MessagePart.tsx";
import { NoticePart } from "./NoticePart.tsx";
import { partRows } from "./part-rows.ts";
import { ApprovalRecord, QuestionRecord } from "./QuestionRecord.tsx";
import { ReasoningPart } from "./ReasoningPart.tsx";
import { SubagentCard } from "./SubagentCard.tsx";
import { TextPart } from "./TextPart.tsx";
import { ToolCard } from "./ToolCard.tsx";

interface Props {
  turnId: TurnId;
  parts: readonly Part[];
  /** The whole turn's, in which a subagent finds its own. */
  all: readonly Part[];
  /** How many earlier ones were not sent. */
  cut?: number;
}

/** A turn of a thousand steps opens at its end; the rest is a press of a button away. */
const shownAtFirst = 40;

export function PartList({ turnId, parts, all, cut = 0 }: Props) {
  const feed = useSessionFeed();
  // Decided once: what is shown stays, however much comes after it.
  const [hidden, setHidden] = useState(() => Math.max(0, parts.length - shownAtFirst));
  return (
    <>
      {hidden + cut > 0 && (
        <button
          type="button"
          className="self-start rounded text-[13px] text-accent hover:underline"
          onClick={() => {
            setHidden(0);
            if (cut > 0) {
              feed.loadWhole(turnId);
            }
          }}
        >
          Show {hidden + cut} earlier steps
        </button>
      )}
      {partRows(parts, hidden).map(({ key, parts: [part, ...more] }) => {
        if (more.length > 0) {
          return <LookAroundCard key={key} turnId={turnId} parts={[part, ...more]} />;
        }
        return part.kind === "subagent" ? (
          <SubagentCard key={key} part={part}>
            <PartList turnId={turnId} parts={partsOfAgent(all, part.id)} all={all} />
          </SubagentCard>
        ) : (
          <PartView key={key} turnId={turnId} part={part} />
        );
      })}
    </>
  );
}

function partsOfAgent(all: readonly Part[], agentId: string): Part[] {
  return all.filter((part) =>
    part.kind === "subagent"
      ? part.parentId === agentId
      : "agentId" in part && part.agentId === agentId,
  );
}

/** Parts keep their identity until they change, so only the live one renders again. */
const PartView = memo(function PartView({
  turnId,
  part,
}: {
  turnId: TurnId;
  part: Exclude<Part, { kind: "subagent" }>;
}) {
  switch (part.kind) {
    case "text":
      return <TextPart part={part} />;
    case "reasoning":
      return <ReasoningPart part={part} />;
    case "tool":
      return <ToolCard turnId={turnId} part={part} />;
    case "question":
      return <QuestionRecord part={part} />;
    case "approval":
      return <ApprovalRecord part={part} />;
    case "message":
      return <MessagePart part={part} />;
    case "notice":
      return <NoticePart part={part} />;
    case "file":
      return null;
  }
});
