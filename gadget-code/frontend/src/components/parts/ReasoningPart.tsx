import type { PartOf } from "@gadget/api";

export function ReasoningPart({ part }: { part: PartOf<"reasoning"> }) {
  return (
    <details className="group text-[13px] text-muted">
      <summary className="w-fit rounded select-none hover:text-ink">
        {part.open ? "Thinking…" : "Thought about it"}
      </summary>
      <p className="mt-1.5 border-l-2 border-line pl-3 whitespace-pre-wrap">{part.text}</p>
    </details>
  );
}
