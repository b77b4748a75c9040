import {
  headOf,
  isSettled,
  linesIn,
  mapTexts,
  type Part,
  type Transcript,
  tailOf,
} from "@gadget/api";

const shownOutput = 4_000;
/** The arguments of a call make its title; a whole file among them does not. */
const shownInput = 1_000;
/** A first look at one turn is no longer than this, whatever it did. */
const shownParts = 200_000;

/**
 * A transcript for a first look: what tools were given and gave is cut, and of a very long turn
 * the latest parts are there. The rest is in the turn's events.
 */
export function shortened(transcript: Transcript): Transcript {
  const parts = transcript.parts.map(shortPart);
  // What still grows is numbered on from here: it stays whole.
  if (!isSettled(transcript.status)) {
    return { ...transcript, parts };
  }
  let from = parts.length;
  let characters = 0;
  while (from > 0) {
    characters += JSON.stringify(parts[from - 1]).length;
    if (characters > shownParts) {
      break;
    }
    from -= 1;
  }
  return from === 0
    ? { ...transcript, parts }
    : { ...transcript, parts: parts.slice(from), partsCut: from };
}

/** A part that was cut before stays as it is. */
export function shortPart(part: Part): Part {
  if (part.kind !== "tool" || part.state !== "ended") {
    return part;
  }
  const hasOutput = part.output !== "";
  const output = tailOf(part.output, shownOutput);
  // What the model was given is shown only where there is nothing else to show.
  const result = part.result && tailOf(part.result, hasOutput ? shownInput : shownOutput);
  const diff = part.diff && headOf(part.diff, shownOutput);
  const isCut =
    output !== part.output || diff !== part.diff || (!hasOutput && result !== part.result);
  const input = mapTexts(part.input, (text) => headOf(text, shownInput));
  const inputCut = JSON.stringify(input)?.length !== JSON.stringify(part.input)?.length;
  const cutLines = hasOutput ? linesIn(part.output) - linesIn(output) : 0;
  return {
    ...part,
    input,
    output,
    result,
    diff,
    ...(isCut && { outputCut: true }),
    ...(cutLines > 0 && { outputCutLines: cutLines }),
    ...(inputCut && { inputCut: true }),
  };
}
