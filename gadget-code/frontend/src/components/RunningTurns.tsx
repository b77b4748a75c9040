import type { DroneId } from "@gadget/api";
import { Link } from "react-router";
import { useServices } from "../lib/services.ts";
import { useAttempt } from "../lib/use-attempt.ts";
import { useInvalidate, useRequest } from "../lib/use-request.ts";
import { Button } from "./Button.tsx";

/** What runs on a drone now, each with its Cancel. */
export function RunningTurns({ droneId }: { droneId: DroneId }) {
  const { request } = useServices();
  const invalidate = useInvalidate();
  const { attempt, isBusy } = useAttempt();
  const processing = useRequest(
    "listTurns",
    { query: { status: "processing" } },
    { everyMs: 5_000 },
  );
  const aborting = useRequest("listTurns", { query: { status: "aborting" } }, { everyMs: 5_000 });
  const turns = [...(processing.data?.items ?? []), ...(aborting.data?.items ?? [])].filter(
    (turn) => turn.droneId === droneId,
  );
  return (
    <section className="flex flex-col gap-2">
      <h2 className="text-[13px] font-semibold text-muted">Running turns</h2>
      {turns.length === 0 && <p className="text-muted">Nothing runs here now.</p>}
      {turns.length > 0 && (
        <ul className="card divide-y divide-line">
          {turns.map((turn) => (
            <li key={turn.id} className="flex items-center gap-3 px-3.5 py-2">
              <Link
                to={`/sessions/${turn.sessionId}`}
                className="min-w-0 flex-1 truncate hover:underline"
              >
                {turn.prompt === "" ? "Continued" : turn.prompt}
              </Link>
              <Button
                small
                tone={turn.status === "aborting" ? "plain" : "danger"}
                disabled={isBusy || turn.status === "aborting"}
                onClick={() =>
                  void attempt(async () => {
                    await request("cancelTurn", { params: { id: turn.id } });
                    invalidate("listTurns");
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
