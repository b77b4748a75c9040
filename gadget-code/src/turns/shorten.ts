import type { Part, Transcript } from "@gadget/api";

const shownOutput = 4_000;

/** A transcript for a first look: long tool output is cut, the rest is in the turn's events. */
export function shortened(transcript: Transcript): Transcript {
  return { ...transcript, parts: transcript.parts.map(shortPart) };
}

function shortPart(part: Part): Part {
  if (part.kind !== "tool" || part.output.length <= shownOutput) return part;
  return { ...part, output: part.output.slice(-shownOutput), outputCut: true };
}
