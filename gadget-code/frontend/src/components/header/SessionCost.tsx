import { costWords } from "../../session/cost-words.ts";
import { useSession } from "../../session/session-context.ts";
import { sessionCost } from "../../session/session-cost.ts";

/** What the session has cost, where prices were entered. */
export function SessionCost() {
  const words = useSession((state) => {
    const cost = sessionCost(state);
    return cost && costWords(cost);
  });
  if (words === undefined) {
    return null;
  }
  return (
    <span className="shrink-0 text-xs text-muted tabular-nums" title="What this session has cost">
      <span className="sr-only">Cost of this session: </span>
      {words}
    </span>
  );
}
