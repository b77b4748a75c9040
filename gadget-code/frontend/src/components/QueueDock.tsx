import type { QueuedMessage } from "@gadget/api";
import { useState } from "react";
import { sentenceOf } from "../lib/api.ts";
import { useServices } from "../lib/services.ts";
import { showToast } from "../lib/toast.ts";
import { useSession, useSessionActions } from "../session/session-context.ts";
import { runningEntry } from "../session/session-state.ts";
import { Button } from "./Button.tsx";
import { Dock } from "./Dock.tsx";

/** Messages that wait. After an abort they go on waiting, until somebody sends them (rule A8). */
export function QueueDock() {
  const queue = useSession((state) => state.queue);
  if (queue.length === 0) return null;
  return (
    <Dock title="Waiting messages">
      <ul className="flex flex-col gap-1.5">
        {queue.map((message) => (
          <QueueItem key={message.id} message={message} />
        ))}
      </ul>
    </Dock>
  );
}

function QueueItem({ message }: { message: QueuedMessage }) {
  const { request } = useServices();
  const actions = useSessionActions();
  const isFree = useSession((state) => runningEntry(state) === undefined);
  const [draft, setDraft] = useState<string>();
  const params = { id: message.sessionId, messageId: message.id };

  const attempt = async (run: () => Promise<unknown>): Promise<void> => {
    try {
      await run();
    } catch (error) {
      showToast(sentenceOf(error), { tone: "error" });
    }
  };
  const remove = () => attempt(() => request("deleteQueued", { params }));
  const save = () =>
    attempt(async () => {
      await request("updateQueued", { params, body: { text: draft ?? message.text } });
      setDraft(undefined);
    });

  return (
    <li className="flex flex-wrap items-start gap-2">
      <span className="rounded bg-hover px-1.5 text-xs leading-6 text-muted">
        {message.mode === "steer" ? "Steer" : "Queue"}
      </span>
      {draft === undefined ? (
        <span className="min-w-0 flex-1 basis-48 leading-6 whitespace-pre-wrap">
          {message.text}
        </span>
      ) : (
        <textarea
          className="field min-w-0 flex-1 basis-48"
          aria-label="Edit the message"
          value={draft}
          onChange={(event) => setDraft(event.target.value)}
        />
      )}
      {draft !== undefined && (
        <Button small tone="primary" disabled={draft.trim() === ""} onClick={() => void save()}>
          Save
        </Button>
      )}
      {draft === undefined && isFree && (
        <Button small tone="primary" onClick={() => void actions.sendQueued(message)}>
          Send now
        </Button>
      )}
      {draft === undefined && (
        <Button small tone="quiet" onClick={() => setDraft(message.text)}>
          Edit
        </Button>
      )}
      <Button small tone="quiet" onClick={() => void remove()}>
        Delete
      </Button>
    </li>
  );
}
