import { type BackgroundCommand, stoppedWords } from "@gadget/api";
import { useId } from "react";
import { clockTime } from "../../lib/ago.ts";
import { useServices } from "../../lib/services.ts";
import { showToast } from "../../lib/toast.ts";
import { useAttempt } from "../../lib/use-attempt.ts";
import { useInvalidate, useRequest } from "../../lib/use-request.ts";
import { useSession, useSessionFeed } from "../../session/session-context.ts";
import { Button } from "../ui/Button.tsx";
import { Dock } from "./Dock.tsx";

/** A command that ends by itself tells nobody; while one is listed, the drone is asked this often. */
const everyMs = 10_000;

/** What runs on after its turn. Without a turn there is none, and nobody is asked. */
export function CommandsDock() {
  const { sessionId } = useSessionFeed();
  const enabled = useSession((state) => state.order.length > 0);
  const { data } = useRequest("listCommands", { params: { id: sessionId } }, { enabled });
  return data === undefined || data.items.length === 0 ? null : <CommandList />;
}

function CommandList() {
  const { sessionId } = useSessionFeed();
  const { data, problem } = useRequest("listCommands", { params: { id: sessionId } }, { everyMs });
  return (
    <Dock title="Background commands">
      <ul className="flex flex-col gap-1">
        {data?.items.map((command) => (
          <CommandItem key={command.id} command={command} />
        ))}
      </ul>
      {problem !== undefined && (
        <p className="text-xs text-orange">This is what ran when the drone last answered.</p>
      )}
    </Dock>
  );
}

function CommandItem({
  command: { id, sessionId, command, startedAt },
}: {
  command: BackgroundCommand;
}) {
  const { request } = useServices();
  const invalidate = useInvalidate();
  const { attempt, isBusy } = useAttempt();
  const line = useId();
  const stop = () =>
    attempt(async () => {
      try {
        const params = { id: sessionId, commandId: id };
        const { stopped } = await request("stopCommand", { params });
        showToast(stoppedWords(stopped), { tone: stopped.left > 0 ? "warning" : "success" });
      } finally {
        invalidate("listCommands");
      }
    });
  return (
    <li className="flex items-center gap-3">
      <span aria-hidden="true" className="pulse size-1.5 shrink-0 rounded-full bg-blue" />
      <code id={line} title={command} className="min-w-0 flex-1 truncate font-mono text-xs">
        {command}
      </code>
      <span className="shrink-0 text-xs text-faint tabular-nums">
        since <time dateTime={startedAt}>{clockTime(startedAt)}</time>
      </span>
      <Button small aria-describedby={line} disabled={isBusy} onClick={() => void stop()}>
        {isBusy ? "Stopping…" : "Stop"}
      </Button>
    </li>
  );
}
