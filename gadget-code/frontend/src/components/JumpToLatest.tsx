import { useState } from "react";
import { useSession } from "../session/session-context.ts";

/** Counts what came since the reader left the end; it is mounted at that moment. */
export function JumpToLatest({ onJump }: { onJump: () => void }) {
  const total = useSession((state) => {
    let parts = state.order.length;
    for (const entry of state.turns.values()) parts += entry.transcript.parts.length;
    return parts;
  });
  const [before] = useState(total);
  const fresh = Math.max(0, total - before);
  return (
    <button
      type="button"
      onClick={onJump}
      className="absolute bottom-3 left-1/2 -translate-x-1/2 rounded-full border border-line-strong bg-raised px-3.5 py-1 text-[13px] font-medium shadow-md hover:bg-hover"
    >
      Jump to latest{fresh > 0 && ` · ${fresh} new`}
    </button>
  );
}
