import type { PartOf } from "@gadget/api";

export function MessagePart({ part }: { part: PartOf<"message"> }) {
  return (
    <div className="ml-6 rounded-lg border border-line bg-panel px-3 py-2">
      <p className="text-xs text-faint">{part.mode === "steer" ? "Steered" : "Queued"}</p>
      <p className="whitespace-pre-wrap">{part.text}</p>
    </div>
  );
}
