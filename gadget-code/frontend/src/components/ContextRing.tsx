import { useSession } from "../session/session-context.ts";

const radius = 7;
const around = 2 * Math.PI * radius;

/** How full the model's context is after the latest call. */
export function ContextRing() {
  const usage = useSession((state) => {
    const last = state.order.findLast((id) => {
      const entry = state.turns.get(id);
      return (entry?.transcript.usage ?? entry?.turn.usage)?.contextWindow !== undefined;
    });
    const entry = last === undefined ? undefined : state.turns.get(last);
    return entry?.transcript.usage ?? entry?.turn.usage;
  });
  if (!usage?.contextWindow || usage.contextTokens === undefined) return null;
  const share = Math.min(1, usage.contextTokens / usage.contextWindow);
  const percent = Math.round(share * 100);
  return (
    <span
      role="img"
      aria-label={`Context ${percent} % full`}
      title={`Context: ${usage.contextTokens.toLocaleString("en")} of ${usage.contextWindow.toLocaleString("en")} tokens${usage.estimated ? " (≈)" : ""}`}
      className="shrink-0"
    >
      <svg viewBox="0 0 18 18" className="size-4 -rotate-90" aria-hidden="true">
        <circle cx="9" cy="9" r={radius} fill="none" strokeWidth="2.5" className="stroke-line" />
        <circle
          cx="9"
          cy="9"
          r={radius}
          fill="none"
          strokeWidth="2.5"
          strokeDasharray={`${share * around} ${around}`}
          className={share > 0.85 ? "stroke-orange" : "stroke-accent"}
        />
      </svg>
    </span>
  );
}
