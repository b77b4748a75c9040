import { useState } from "react";
import { useSession } from "../../session/session-context.ts";
import type { SessionState } from "../../session/session-state.ts";

function partsOf({ turns }: SessionState, id: SessionState["order"][number]): number {
  const { parts = [], partsCut = 0 } = turns.get(id)?.transcript ?? {};
  return parts.length + partsCut;
}

/** Counts what came at the end since the reader left it; it is mounted at that moment. */
export function JumpToLatest({ onJump }: { onJump: () => void }) {
  const last = useSession((state) => state.order.at(-1));
  const parts = useSession((state) => (last === undefined ? 0 : partsOf(state, last)));
  const [left] = useState({ last, parts });
  // Older turns are no news, wherever they come from: only what stands after the end of then is.
  const fresh = useSession((state) => {
    const at = left.last === undefined ? -1 : state.order.indexOf(left.last);
    const more = left.last === undefined ? 0 : partsOf(state, left.last) - left.parts;
    const later = state.order.slice(at + 1);
    return later.reduce((sum, id) => sum + 1 + partsOf(state, id), Math.max(0, more));
  });
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
