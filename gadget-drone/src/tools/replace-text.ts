import { placesOf } from "./places-of.ts";

type Replaced = { ok: true; text: string } | { ok: false; why: string };

const mostPlaces = 100_000;
const longest = 20 * 1024 * 1024;
/** A larger file is not looked through for what was perhaps meant. */
const longestHinted = 1024 * 1024;

/** Replaces an exact piece of text, or says what is in the way and where. */
export function replaceText(text: string, old: string, next: string, all: boolean): Replaced {
  if (old === next) {
    return { ok: false, why: "oldText and newText are the same." };
  }
  const places = placesOf(text, old, mostPlaces + 1);
  if (places.length === 0) {
    return otherLineEnds(text, old, next, all) ?? { ok: false, why: hint(text, old) };
  }
  if (places.length > 1 && !all) {
    const lines = places.slice(0, 5).map((place) => lineOf(text, place));
    const times = places.length > mostPlaces ? `more than ${mostPlaces}` : places.length;
    return {
      ok: false,
      why: `oldText stands there ${times} times (lines ${lines.join(", ")}). Give more of the lines around it, or replaceAll.`,
    };
  }
  if (
    places.length > mostPlaces ||
    text.length + places.length * (next.length - old.length) > longest
  ) {
    return { ok: false, why: "That is too much at once. Give a longer oldText." };
  }
  const ends = [0, ...places.map((place) => place + old.length)];
  const kept = ends.map((end, index) => text.slice(end, places[index]));
  return { ok: true, text: kept.join(next) };
}

function lineOf(text: string, place: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < place; at = text.indexOf("\n", at + 1)) {
    line++;
  }
  return line;
}

/** Models write \n also for files with \r\n; what they change keeps the file's own ends. */
function otherLineEnds(
  text: string,
  old: string,
  next: string,
  all: boolean,
): Replaced | undefined {
  if (!text.includes("\r\n") || old.includes("\r") || !old.includes("\n")) {
    return undefined;
  }
  const withReturns = (piece: string) => piece.replaceAll("\n", "\r\n");
  if (placesOf(text, withReturns(old), 1).length === 0) {
    return undefined;
  }
  return replaceText(text, withReturns(old), withReturns(next), all);
}

/** Where the text nearly stands: with other white space, or only its first line. */
function hint(text: string, old: string): string {
  const nowhere = "oldText does not stand in it. Read the file again; it may have changed.";
  if (text.length > longestHinted) {
    return nowhere;
  }
  const lines = text.split("\n");
  const wanted = old.split("\n").filter((line) => line.trim() !== "");
  const squeeze = (line: string) => line.trim().replace(/\s+/g, " ");
  const first = squeeze(wanted[0] ?? "");
  const at = first === "" ? -1 : lines.findIndex((line) => squeeze(line) === first);
  if (at < 0) {
    return nowhere;
  }
  const there = lines.slice(at, at + old.split("\n").length).join("\n");
  const same = squeeze(there) === squeeze(old);
  const what = same ? "only its white space differs" : "only its first line is the same";
  return `oldText does not stand in it exactly; from line ${at + 1} on ${what}. There stands:\n${there}`;
}
