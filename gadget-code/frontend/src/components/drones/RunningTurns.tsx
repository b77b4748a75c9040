import type { DroneId, DroneTurn } from "@gadget/api";
import { Link } from "react-router";
import { useServices } from "../../lib/services.ts";
import { useAttempt } from "../../lib/use-attempt.ts";
import { useInvalidate, useRequest } from "../../lib/use-request.ts";
import { Button } from "../ui/Button.tsx";

/** What runs on a drone now, each with its Cancel; of others' turns only whose they are. */
export function RunningTurns({ droneId }: { droneId: DroneId }) {
  const { request } = useServices();
  const invalidate = useInvalidate();
  const { attempt, isBusy } = useAttempt();
  const running = useRequest("listDroneTurns", { params: { id: droneId } }, { everyMs: 5_000 });
  const turns = running.data?.items ?? [];
  return (
    <section className="flex flex-col gap-2">
      <h2 className="text-[13px] font-semibold text-muted">Running turns</h2>
      {turns.length === 0 && <p className="text-muted">Nothing runs here now.</p>}
      {turns.length > 0 && (
        <ul className="card divide-y divide-line">
          {turns.map((turn) => (
            <li key={turn.id} className="flex items-center gap-3 px-3.5 py-2">
              <TurnName turn={turn} />
              <Button
                small
                tone={turn.status === "aborting" ? "plain" : "danger"}
                disabled={isBusy || turn.status === "aborting"}
                onClick={() =>
                  void attempt(async () => {
                    await request("cancelTurn", { params: { id: turn.id } });
                    invalidate("listDroneTurns");
                  })
                }
              >
                {turn.status === "aborting" ? "Aborting..." : "Cancel"}
              </Button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function TurnName({ turn: { own, by } }: { turn: DroneTurn }) {
  if (own === undefined) {
    return <span className="min-w-0 flex-1 truncate">Turn of {by.name}</span>;
  }
  return (
    <Link
      to={`/sessions/${own.sessionId}`}
      title={own.prompt}
      className="min-w-0 flex-1 truncate hover:underline"
    >
      {own.prompt === "" ? "Continued" : own.prompt}
    </Link>
  );
}
