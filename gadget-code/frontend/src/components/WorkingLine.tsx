import type { WaitingFor } from "@gadget/api";
import { useEffect, useState } from "react";
import { elapsed } from "../lib/duration.ts";
import { useSessionActions } from "../session/session-context.ts";
import { statusOf, type TurnEntry, waitingForOf } from "../session/turn-entry.ts";
import { Button } from "./Button.tsx";

const waits: Record<WaitingFor, string> = {
  question: "Waiting for your answer",
  approval: "Waiting for your approval",
  drone: "Waiting for the drone",
  workspace: "Waiting for another turn in this workspace",
  finishing: "Finishing up",
};

function wordsOf(entry: TurnEntry): string {
  const status = statusOf(entry);
  if (status === "aborting") return "Aborting";
  const waitingFor = waitingForOf(entry);
  if (waitingFor !== undefined) return waits[waitingFor];
  if (entry.unsent) return "Sending";
  return status === "queued" ? "Queued" : "Working";
}

export function WorkingLine({ entry }: { entry: TurnEntry }) {
  const since = entry.turn.startedAt ?? entry.turn.createdAt;
  const isAborting = statusOf(entry) === "aborting";
  return (
    <p
      className={`flex items-center gap-2 text-[13px] ${isAborting ? "text-yellow" : "text-blue"}`}
    >
      <span aria-hidden="true" className="pulse size-2 rounded-full bg-current" />
      <span>{wordsOf(entry)}</span>
      <Elapsed since={since} />
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

function Elapsed({ since }: { since: string }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  const passed = Math.max(0, now - Date.parse(since));
  if (passed < 1_000) return null;
  return <span className="text-faint tabular-nums">{elapsed(passed)}</span>;
}
