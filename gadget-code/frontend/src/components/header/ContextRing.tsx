import { useRequest } from "../../lib/use-request.ts";
import { useSession } from "../../session/session-context.ts";

const radius = 7;
const around = 2 * Math.PI * radius;

/** How full the model's context is after the latest call; always there, so that it is found. */
export function ContextRing() {
  const usage = useSession((state) => {
    const last = state.order.findLast((id) => {
      const entry = state.turns.get(id);
      return (entry?.transcript.usage ?? entry?.turn.usage)?.contextTokens !== undefined;
    });
    const entry = last === undefined ? undefined : state.turns.get(last);
    return entry?.transcript.usage ?? entry?.turn.usage;
  });
  const listed = useListedWindow();
  const size = listed ?? usage?.contextWindow;
  const used = usage?.contextTokens ?? 0;
  const share = size === undefined ? 0 : Math.min(1, used / size);
  const label =
    size === undefined
      ? `Context: ${used.toLocaleString("en")} tokens, of a size that is not known`
      : `Context ${Math.round(share * 100)} % full`;
  const exact =
    size === undefined
      ? label
      : `Context: ${used.toLocaleString("en")} of ${size.toLocaleString("en")} tokens${usage?.estimated ? " (≈)" : ""}`;
  return (
    <span role="img" aria-label={label} title={exact} className="shrink-0">
      <svg viewBox="0 0 18 18" className="size-4 -rotate-90" aria-hidden="true">
        <circle
          cx="9"
          cy="9"
          r={radius}
          fill="none"
          strokeWidth="2.5"
          strokeDasharray={size === undefined ? "2 2" : undefined}
          className="stroke-line-strong"
        />
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

/**
 * What the next turn plans with. The latest turn may have had another model: it is believed where
 * the list says nothing.
 */
function useListedWindow(): number | undefined {
  const session = useSession((state) => state.session);
  const id = session?.providerId;
  const models = useRequest(
    "listModels",
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- not asked while there is none
    { params: { id: id as NonNullable<typeof id> } },
    { enabled: id !== undefined && id !== null },
  );
  const items = models.data?.items ?? [];
  // A server with one model answers with it, by whatever name it is asked for.
  const model =
    items.find((each) => each.id === session?.model) ?? (items.length === 1 ? items[0] : undefined);
  return model?.contextWindow;
}
