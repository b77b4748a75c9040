import type { MessageId, QueuedMessage } from "@gadget/api";
import { ArrowDown, ArrowUp } from "lucide-react";
import { useRef, useState } from "react";
import { useServices } from "../../lib/services.ts";
import { useAttempt } from "../../lib/use-attempt.ts";
import { useSession, useSessionActions } from "../../session/session-context.ts";
import { runningEntry } from "../../session/session-state.ts";
import { Button } from "../ui/Button.tsx";
import { QueueItemEditor } from "./QueueItemEditor.tsx";

interface Props {
  message: QueuedMessage;
  /** The one before it; undefined: it is the first. */
  above: MessageId | undefined;
  /** What it would stand before, one place further down; null: the end, undefined: it is there. */
  below: MessageId | null | undefined;
}

export function QueueItem({ message, above, below }: Props) {
  const { request } = useServices();
  const actions = useSessionActions();
  const { attempt } = useAttempt();
  const running = useSession(runningEntry);
  const isFree = running === undefined;
  const [isEditing, setEditing] = useState(false);
  const edit = useRef<HTMLButtonElement>(null);
  const params = { id: message.sessionId, messageId: message.id };
  const move = (before: MessageId | null) =>
    void attempt(() => request("updateQueued", { params, body: { before } }));

  if (isEditing) {
    return (
      <li>
        <QueueItemEditor
          message={message}
          onClose={() => {
            setEditing(false);
            // The button is there again with the next frame.
            requestAnimationFrame(() => edit.current?.focus());
          }}
        />
      </li>
    );
  }
  return (
    <li className="flex flex-wrap items-start gap-2">
      <span className="rounded bg-hover px-1.5 text-xs leading-6 text-muted">
        {message.mode === "steer" ? "Steer" : "Next"}
      </span>
      <span className="min-w-0 flex-1 basis-48 leading-6 whitespace-pre-wrap">{message.text}</span>
      {running && message.mode === "steer" && message.paused === undefined && (
        <>
          <span className="text-xs leading-6 text-faint">reaches the agent after this step</span>
          <Button small onClick={() => void actions.stopAndSend(message, running.turn.id)}>
            Stop and send
          </Button>
        </>
      )}
      {above !== undefined && (
        <Button small tone="quiet" aria-label="Move up" onClick={() => move(above)}>
          <ArrowUp aria-hidden="true" className="size-3.5" />
        </Button>
      )}
      {below !== undefined && (
        <Button small tone="quiet" aria-label="Move down" onClick={() => move(below)}>
          <ArrowDown aria-hidden="true" className="size-3.5" />
        </Button>
      )}
      {isFree && (
        <Button small onClick={() => void actions.sendQueued(message)}>
          Send now
        </Button>
      )}
      <Button ref={edit} small tone="quiet" onClick={() => setEditing(true)}>
        Edit
      </Button>
      <Button
        small
        tone="quiet"
        onClick={() => void attempt(() => request("deleteQueued", { params }))}
      >
        Delete
      </Button>
    </li>
  );
}
