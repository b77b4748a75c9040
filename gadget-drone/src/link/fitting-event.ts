// oxlint-disable typescript/no-unsafe-type-assertion -- what is cut keeps its form
import { shorten } from "@gadget/ai";
import { mapTexts, type TurnEvent, turnLimits } from "@gadget/api";

/** The longest text that is left whole, tried one after the other until the event fits. */
const lengths = [100_000, 10_000, 1_000, 100];

/**
 * An event as the server takes it. Of one that is too large the long texts are cut in the middle,
 * and say so; where that is not enough the arguments of its call are left out.
 */
export function fittingEvent(event: TurnEvent): TurnEvent {
  if (fits(event)) {
    return event;
  }
  for (const length of lengths) {
    const cut = shortened(event, length) as TurnEvent;
    if (fits(cut)) {
      return cut;
    }
  }
  const rest = "input" in event ? { ...event, input: leftOut } : event;
  return shortened(rest, lengths.at(-1) ?? 0) as TurnEvent;
}

const leftOut = { leftOut: "The arguments are too large to be kept." };

function fits(event: TurnEvent): boolean {
  return JSON.stringify(event).length <= turnLimits.eventCharacters;
}

function shortened(value: unknown, length: number): unknown {
  return mapTexts(value, (text) => shorten(text, length, tooLong));
}

function tooLong(characters: number): string {
  return `[${characters} characters were left out: this is too long to be kept]`;
}
