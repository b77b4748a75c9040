import type { DroneId, WaitingFor } from "@gadget/api";
import { elapsed } from "../../lib/ago.ts";
import { useLink } from "../../lib/use-link.ts";
import { useLost } from "../../lib/use-lost.ts";
import { useNow } from "../../lib/use-now.ts";
import { modelWaitWords, type Waiting } from "../../session/model-wait-words.ts";
import { useSessionActions } from "../../session/session-context.ts";
import { statusOf, type TurnEntry, waitingForOf } from "../../session/turn-entry.ts";
import { useDrone } from "../drones/use-drone.ts";
import { Button } from "../ui/Button.tsx";

const waits: Record<WaitingFor, string> = {
  question: "Waiting for your answer",
  approval: "Waiting for your approval",
  drone: "Waiting for the drone",
  workspace: "Waiting for another turn in this workspace",
  finishing: "Finishing up",
};

function wordsOf(entry: TurnEntry): string {
  const status = statusOf(entry);
  if (status === "aborting") {
    return "Stopping";
  }
  const waitingFor = waitingForOf(entry);
  if (waitingFor !== undefined) {
    return waits[waitingFor];
  }
  if (entry.unsent) {
    return "Sending";
  }
  return status === "queued" ? "Queued" : "Working";
}

function isWorking(entry: TurnEntry): boolean {
  return statusOf(entry) === "processing" && [undefined, "finishing"].includes(waitingForOf(entry));
}

/** Then the time is the person's, and nothing moves. */
function isWaitingForYou(entry: TurnEntry): boolean {
  const waitingFor = waitingForOf(entry);
  if (statusOf(entry) === "aborting") {
    return false;
  }
  return waitingFor === "question" || waitingFor === "approval";
}

export function WorkingLine({ entry }: { entry: TurnEntry }) {
  const since = entry.turn.startedAt ?? entry.turn.createdAt;
  const isAborting = statusOf(entry) === "aborting";
  const { waiting } = entry.transcript;
  // One clock for all that is counted here: side by side, the numbers must agree.
  const now = useNow(500);
  const isLost = useLost() !== undefined;
  if (isLost) {
    return (
      <p className="flex items-center gap-x-2 text-[13px] text-muted">
        <span aria-hidden="true" className="size-2 rounded-full bg-line-strong" />
        {wordsOf(entry)}, when the server was last heard
      </p>
    );
  }
  const isAsking = isWaitingForYou(entry);
  return (
    <p
      className={`flex flex-wrap items-center gap-x-2 text-[13px] ${isAborting || isAsking ? "text-yellow" : "text-blue"}`}
    >
      <span
        aria-hidden="true"
        className={`size-2 rounded-full bg-current ${isAsking ? "" : "pulse"}`}
      />
      <span>{wordsOf(entry)}</span>
      {!isAsking && <Elapsed since={since} now={now} />}
      {isWorking(entry) && waiting && (
        <ModelLink waiting={waiting} now={now} droneId={entry.turn.droneId} />
      )}
      {waitingForOf(entry) === "workspace" && <RunAnyway entry={entry} />}
    </p>
  );
}

/** Beside the other turn, in the same folder: the two may get in each other's way. */
function RunAnyway({ entry: { turn } }: { entry: TurnEntry }) {
  const actions = useSessionActions();
  return (
    <Button small onClick={() => void actions.runAnyway(turn)}>
      Run anyway
    </Button>
  );
}

interface ModelLinkProps {
  waiting: Waiting;
  now: number;
  droneId: DroneId | null;
}

/** The third link, from the drone to the model. With another link down nothing is known of it. */
function ModelLink({ waiting, now, droneId }: ModelLinkProps) {
  const isLive = useLink() === "live";
  const isDroneThere = useDrone(droneId)?.isThere ?? true;
  const words = isLive && isDroneThere ? modelWaitWords(waiting, now) : undefined;
  if (words === undefined) {
    return null;
  }
  return <span className="min-w-0 text-faint tabular-nums">{`· ${words}`}</span>;
}

function Elapsed({ since, now }: { since: string; now: number }) {
  const passed = Math.max(0, now - Date.parse(since));
  if (passed < 1_000) {
    return null;
  }
  return <span className="text-faint tabular-nums">{elapsed(passed)}</span>;
}
