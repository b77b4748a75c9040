import Anser from "anser";

export interface AnsiPiece {
  text: string;
  className: string;
  color: string | undefined;
}

// Everything that is not a colour (CSI … m): titles, links, cursor moves, clears, lone escapes.
const csi = "\\u001b\\[[0-?]*[ -/]*[@-ln-~]";
const osc = "\\u001b\\][^\\u0007\\u001b]*(?:\\u0007|\\u001b\\\\)?";
const strings = "\\u001b[PX^_][^\\u001b]*(?:\\u001b\\\\)?";
const lone = "\\u001b(?!\\[[0-?]*[ -/]*m)[@-Z\\\\-_a-z0-9=>]?";
const others = new RegExp(`${osc}|${strings}|${csi}|${lone}`, "g");
// oxlint-disable-next-line no-control-regex -- control characters are what it removes
const controls = /[\u0000-\u0008\u000b\u000c\u000e-\u001a\u007f]/g;

/** A carriage return goes back to the line's start; what comes next is written over it. */
function overwritten(line: string): string {
  const [first = "", ...rest] = line.replace(/\r+$/, "").split("\r");
  return rest.reduce((shown, text) => text + shown.slice(text.length), first);
}

/** What a terminal would show of it, colours kept. */
export function plainAnsi(text: string): string {
  const clean = text.replace(others, "").replace(controls, "");
  if (!clean.includes("\r")) return clean;
  return clean.replaceAll("\r\n", "\n").split("\n").map(overwritten).join("\n");
}

export function ansiPieces(text: string): AnsiPiece[] {
  const shown = plainAnsi(text);
  if (!shown.includes("\u001b")) return [{ text: shown, className: "", color: undefined }];
  return Anser.ansiToJson(shown, { json: true, use_classes: true, remove_empty: true }).map(
    ({ content, fg, fg_truecolor, decorations }) => ({
      text: content,
      className: [fg && `${fg}-fg`, ...decorations.map((name) => `ansi-${name}`)]
        .filter(Boolean)
        .join(" "),
      color: fg === "ansi-truecolor" ? `rgb(${fg_truecolor})` : undefined,
    }),
  );
}
