type Replaced = { ok: true; text: string } | { ok: false; why: string };

/** Replaces an exact piece of text, or says what is in the way and where. */
export function replaceText(text: string, old: string, next: string, all: boolean): Replaced {
  if (old === next) return { ok: false, why: "oldText and newText are the same." };
  const places = placesOf(text, old);
  if (places.length === 0)
    return otherLineEnds(text, old, next, all) ?? { ok: false, why: hint(text, old) };
  if (places.length > 1 && !all) {
    const lines = places.slice(0, 5).map((place) => lineOf(text, place));
    return {
      ok: false,
      why: `oldText stands there ${places.length} times (lines ${lines.join(", ")}). Give more of the lines around it, or replaceAll.`,
    };
  }
  return { ok: true, text: text.split(old).join(next) };
}

function placesOf(text: string, piece: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(piece); at >= 0; at = text.indexOf(piece, at + piece.length)) {
    places.push(at);
  }
  return places;
}

function lineOf(text: string, place: number): number {
  return text.slice(0, place).split("\n").length;
}

/** Models write \n also for files with \r\n; what they change keeps the file's own ends. */
function otherLineEnds(
  text: string,
  old: string,
  next: string,
  all: boolean,
): Replaced | undefined {
  if (!text.includes("\r\n") || old.includes("\r")) return undefined;
  const withReturns = (piece: string) => piece.replaceAll("\n", "\r\n");
  if (!text.includes(withReturns(old))) return undefined;
  return replaceText(text, withReturns(old), withReturns(next), all);
}

/** Where the text nearly stands: with other white space, or only its first line. */
function hint(text: string, old: string): string {
  const lines = text.split("\n");
  const wanted = old.split("\n").filter((line) => line.trim() !== "");
  const squeeze = (line: string) => line.trim().replace(/\s+/g, " ");
  const first = squeeze(wanted[0] ?? "");
  const at = first === "" ? -1 : lines.findIndex((line) => squeeze(line) === first);
  if (at < 0) return "oldText does not stand in it. Read the file again; it may have changed.";
  const there = lines.slice(at, at + old.split("\n").length).join("\n");
  const same = squeeze(there) === squeeze(old);
  const what = same ? "only its white space differs" : "only its first line is the same";
  return `oldText does not stand in it exactly; from line ${at + 1} on ${what}. There stands:\n${there}`;
}
