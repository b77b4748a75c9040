import type { QueuedMessage } from "@gadget/api";
import { useUser } from "../../lib/auth.ts";
import { useServices } from "../../lib/services.ts";
import { useAttempt } from "../../lib/use-attempt.ts";
import { useSession, useSessionFeed } from "../../session/session-context.ts";
import type { SessionState } from "../../session/session-state.ts";
import { statusOf } from "../../session/turn-entry.ts";
import { Button } from "../ui/Button.tsx";
import { Dock } from "./Dock.tsx";
import { QueueItem } from "./QueueItem.tsx";

/** Messages that wait. After a cut they go on waiting, until somebody lets them (rule A8). */
export function QueueDock() {
  const queue = useSession((state) => state.queue);
  const paused = queue.find((message) => message.paused !== undefined)?.paused;
  if (queue.length === 0) {
    return null;
  }
  return (
    <Dock title={paused === undefined ? "Queued" : "Queued, paused"}>
      {paused && <Paused by={paused} />}
      <ul className="flex flex-col gap-1.5">
        {queue.map((message, at) => (
          <QueueItem
            key={message.id}
            message={message}
            above={queue[at - 1]?.id}
            below={at === queue.length - 1 ? undefined : (queue[at + 2]?.id ?? null)}
          />
        ))}
      </ul>
    </Dock>
  );
}

/** The person who stopped the turn that the queue waits for, if that is known here. */
function stopperIn({ order, turns }: SessionState): { id: string; name: string } | undefined {
  const last = order.findLast((id) => {
    const entry = turns.get(id);
    return entry !== undefined && statusOf(entry) === "aborted";
  });
  const entry = last === undefined ? undefined : turns.get(last);
  return entry?.turn.abortedBy ?? entry?.transcript.abortedBy;
}

function Paused({ by }: { by: NonNullable<QueuedMessage["paused"]> }) {
  const { request } = useServices();
  const { sessionId } = useSessionFeed();
  const user = useUser();
  const stopper = useSession(stopperIn);
  const { attempt, isBusy } = useAttempt();
  const params = { id: sessionId };
  const who = stopper === undefined || stopper.id === user.id ? "you" : stopper.name;
  const why = {
    aborted: `${who} stopped`,
    error: "the turn failed",
    interrupted: "the turn was interrupted",
  }[by];
  return (
    <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-yellow">
      <span>Paused because {why}</span>
      <Button
        small
        tone="primary"
        disabled={isBusy}
        onClick={() => void attempt(() => request("resumeQueue", { params }))}
      >
        Resume
      </Button>
      <Button
        small
        tone="quiet"
        disabled={isBusy}
        onClick={() => void attempt(() => request("clearQueue", { params }))}
      >
        Clear
      </Button>
    </p>
  );
}
