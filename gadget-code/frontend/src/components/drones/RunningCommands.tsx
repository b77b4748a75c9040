import type { DroneCommand, DroneId } from "@gadget/api";
import { Link } from "react-router";
import { ago } from "../../lib/ago.ts";
import { useServices } from "../../lib/services.ts";
import { useAttempt } from "../../lib/use-attempt.ts";
import { useInvalidate, useRequest } from "../../lib/use-request.ts";
import { Button } from "../ui/Button.tsx";

/** Background commands on a drone, each with its Stop; of others' only whose they are. */
export function RunningCommands({ droneId }: { droneId: DroneId }) {
  const { request } = useServices();
  const invalidate = useInvalidate();
  const { attempt, isBusy } = useAttempt();
  const running = useRequest("listDroneCommands", { params: { id: droneId } }, { everyMs: 10_000 });
  const commands = running.data?.items ?? [];
  if (commands.length === 0) {
    return null;
  }
  const stop = (command: DroneCommand): void => {
    void attempt(async () => {
      await request("stopDroneCommand", { params: { id: droneId, commandId: command.id } });
      invalidate("listDroneCommands", "listCommands");
    });
  };
  return (
    <section className="flex flex-col gap-2">
      <h2 className="text-[13px] font-semibold text-muted">Background commands</h2>
      <ul className="card divide-y divide-line">
        {commands.map((command) => (
          <li key={command.id} className="flex items-center gap-3 px-3.5 py-2">
            <CommandName command={command} />
            <span className="text-xs text-faint">started {ago(command.startedAt)}</span>
            <Button small tone="danger" disabled={isBusy} onClick={() => stop(command)}>
              Stop
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function CommandName({ command: { own, by } }: { command: DroneCommand }) {
  if (own === undefined) {
    return <span className="min-w-0 flex-1 truncate">Command of {by.name}</span>;
  }
  return (
    <Link
      to={`/sessions/${own.sessionId}`}
      title={own.command}
      className="min-w-0 flex-1 truncate font-mono text-xs hover:underline"
    >
      {own.command}
    </Link>
  );
}
