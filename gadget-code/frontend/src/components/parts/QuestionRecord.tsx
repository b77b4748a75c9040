import type { ApprovalDecision, PartOf } from "@gadget/api";

/** In the timeline a question and an approval are a record; they are answered in the dock. */
export function QuestionRecord({ part }: { part: PartOf<"question"> }) {
  return (
    <div className="rounded-lg border border-line bg-raised px-3 py-2 text-[13px]">
      <p className="font-medium">{part.question}</p>
      <p className="mt-0.5 text-muted">
        {part.open
          ? "Waiting for your answer."
          : part.answer === undefined
            ? "Closed without an answer."
            : `${part.by?.name ?? "Answer"}: ${part.answer}`}
      </p>
    </div>
  );
}

const decisions: Record<ApprovalDecision, string> = {
  once: "Allowed once",
  session: "Allowed for this session",
  deny: "Denied",
};

export function ApprovalRecord({ part }: { part: PartOf<"approval"> }) {
  if (part.open) {
    return null;
  }
  const decision =
    part.decision === undefined ? "Closed without a decision" : decisions[part.decision];
  return (
    <p className="truncate text-xs text-faint" title={part.command}>
      {decision}
      {part.by && ` by ${part.by.name}`}:{" "}
      <span className="font-mono">{part.command ?? part.name}</span>
      {part.reason && ` (${part.reason})`}
    </p>
  );
}
