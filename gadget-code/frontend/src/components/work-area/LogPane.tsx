import type { TurnEvent, TurnId } from "@gadget/api";
import { useRequest } from "../../lib/use-request.ts";
import { useSession } from "../../session/session-context.ts";
import { Loading } from "../ui/Loading.tsx";

/** The stored events of the latest turn: what happened, by its numbers. */
export function LogPane() {
  const turnId = useSession((state) => state.order.at(-1));
  if (turnId === undefined) {
    return <p className="text-[13px] text-muted">No turns yet.</p>;
  }
  return <TurnLog turnId={turnId} />;
}

function TurnLog({ turnId }: { turnId: TurnId }) {
  const events = useRequest(
    "listEvents",
    { params: { id: turnId }, query: { limit: 200 } },
    { everyMs: 3_000 },
  );
  return (
    <Loading of={events}>
      {({ items }) => (
        <ol className="flex flex-col font-mono text-xs">
          {items.map((event) => (
            <li key={event.seq} className="flex gap-3 py-0.5">
              <span className="w-10 shrink-0 text-right text-faint tabular-nums">{event.seq}</span>
              <span className="shrink-0 text-faint">{event.at.slice(11, 23)}</span>
              <span className="min-w-0 flex-1 break-words">
                {event.type} <span className="text-muted">{detailOf(event)}</span>
              </span>
            </li>
          ))}
        </ol>
      )}
    </Loading>
  );
}

function detailOf(event: TurnEvent): string {
  switch (event.type) {
    case "turn:changed":
      return event.status;
    case "tool:start":
      return event.name;
    case "tool:end":
      return `${event.name} ${event.outcome}`;
    case "notice":
      return event.text;
    case "file:changed":
      return event.file.path;
    default:
      return "text" in event && event.text !== undefined ? `${event.text.length} characters` : "";
  }
}
