import { useState } from "react";
import { declineNotifications, mayOfferNotifications } from "../../lib/notify.ts";
import { useSession } from "../../session/session-context.ts";
import { runningEntry } from "../../session/session-state.ts";
import { Button } from "../ui/Button.tsx";

/** After a run this long somebody may want to go elsewhere meanwhile. */
const longMs = 30_000;

/** Asks whether to notify, once a long run has ended here; the browser asks only after a yes. */
export function NotificationOffer() {
  const hasRunLong = useLongRun();
  const [isAnswered, setAnswered] = useState(false);
  if (!hasRunLong || isAnswered || !mayOfferNotifications()) {
    return null;
  }
  return (
    <div
      role="status"
      className="flex flex-wrap items-center gap-2 rounded-lg border border-line bg-panel px-3.5 py-1.5 text-[13px] text-muted"
    >
      <span className="min-w-0 flex-1 basis-60">
        Get a notification when a turn ends or asks you while you look elsewhere?
      </span>
      <Button
        small
        onClick={() => {
          void Notification.requestPermission();
          setAnswered(true);
        }}
      >
        Notify me
      </Button>
      <Button
        small
        tone="quiet"
        onClick={() => {
          declineNotifications();
          setAnswered(true);
        }}
      >
        No thanks
      </Button>
    </div>
  );
}

/** Whether the turn that was last seen running here has ended after a long time. */
function useLongRun(): boolean {
  const running = useSession((state) => runningEntry(state)?.turn.id);
  const [watched, setWatched] = useState(running);
  if (running !== undefined && running !== watched) {
    setWatched(running);
  }
  return useSession(({ turns }) => {
    const { startedAt, settledAt } = (watched && turns.get(watched)?.turn) || {};
    return (
      startedAt !== undefined &&
      settledAt !== undefined &&
      Date.parse(settledAt) - Date.parse(startedAt) >= longMs
    );
  });
}
