import type { DroneStatus, ToolOutcome, TurnStatus } from "@gadget/api";
import type { Colour, Style } from "./style.ts";

type Mark = readonly [icon: string, colour: Colour];

const turnMarks: Record<TurnStatus, Mark> = {
  queued: ["○", "grey"],
  processing: ["⟳", "blue"],
  aborting: ["⟳", "yellow"],
  finished: ["✓", "green"],
  aborted: ["⊘", "yellow"],
  error: ["✗", "red"],
  interrupted: ["⚠", "orange"],
};

const outcomeMarks: Record<ToolOutcome, Mark> = {
  finished: ["✓", "green"],
  failed: ["✗", "red"],
  cancelled: ["⊘", "yellow"],
  never_started: ["○", "grey"],
  unknown: ["⚠", "orange"],
};

const droneMarks: Record<DroneStatus, Mark> = {
  online: ["●", "green"],
  busy: ["●", "blue"],
  draining: ["●", "yellow"],
  stale: ["●", "orange"],
  offline: ["○", "grey"],
};

const paint = ([icon, colour]: Mark, style: Style, word = ""): string =>
  style(colour, word === "" ? icon : `${icon} ${word}`);

export function turnMark(status: TurnStatus, style: Style, word = ""): string {
  return paint(turnMarks[status], style, word);
}

export function outcomeMark(outcome: ToolOutcome, style: Style, word = ""): string {
  return paint(outcomeMarks[outcome], style, word);
}

export function droneMark(status: DroneStatus, style: Style): string {
  return paint(droneMarks[status], style);
}
