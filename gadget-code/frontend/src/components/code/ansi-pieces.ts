import Anser from "anser";

export interface AnsiPiece {
  text: string;
  className: string;
  /** Colours that have no class. */
  style: { color?: string; backgroundColor?: string } | undefined;
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
  if (!clean.includes("\r")) {
    return clean;
  }
  return clean.replaceAll("\r\n", "\n").split("\n").map(overwritten).join("\n");
}

export function ansiPieces(text: string): AnsiPiece[] {
  const shown = plainAnsi(text);
  if (!shown.includes("\u001b")) {
    return [{ text: shown, className: "", style: undefined }];
  }
  return Anser.ansiToJson(shown, { json: true, use_classes: true, remove_empty: true }).map(
    (entry) => {
      const { content, decorations } = entry;
      const isInverse = "isInverted" in entry && entry.isInverted === true;
      const fg = lookOf(entry.fg, entry.fg_truecolor);
      const bg = lookOf(entry.bg, entry.bg_truecolor);
      const classes = [
        fg?.name && `${fg.name}-fg`,
        bg?.name && `${bg.name}-bg`,
        isInverse && "ansi-inverse",
        ...decorations.map((name) => `ansi-${name}`),
      ];
      // A ground of an own colour needs letters that can be read on it, whatever the theme.
      const letters = fg?.rgb ?? (bg?.rgb && (fg === undefined || isInverse) && readableOn(bg.rgb));
      const style = {
        ...(letters && { color: css(letters) }),
        ...(bg?.rgb && { backgroundColor: css(bg.rgb) }),
      };
      return {
        text: content,
        className: classes.filter(Boolean).join(" "),
        style: Object.keys(style).length > 0 ? style : undefined,
      };
    },
  );
}

type Rgb = readonly [number, number, number];

/** One of the sixteen colours has a class, which follows the theme; every other one is itself. */
function lookOf(name: string | null, truecolor: string): { name?: string; rgb?: Rgb } | undefined {
  if (!name) {
    return undefined;
  }
  if (name === "ansi-truecolor") {
    const [red = 0, green = 0, blue = 0] = truecolor.split(",").map(Number);
    return { rgb: [red, green, blue] };
  }
  const index = /^ansi-palette-(\d+)$/.exec(name)?.[1];
  return index === undefined ? { name } : { rgb: paletteColour(Number(index)) };
}

/** 16-231: a cube of six steps a side; 232-255: greys. */
function paletteColour(index: number): Rgb {
  if (index >= 232) {
    const grey = 8 + (index - 232) * 10;
    return [grey, grey, grey];
  }
  const at = index - 16;
  const step = (value: number) => (value === 0 ? 0 : 55 + value * 40);
  return [step(Math.floor(at / 36)), step(Math.floor(at / 6) % 6), step(at % 6)];
}

function readableOn([red, green, blue]: Rgb): Rgb {
  const light = (0.299 * red + 0.587 * green + 0.114 * blue) / 255;
  return light > 0.55 ? [0, 0, 0] : [255, 255, 255];
}

function css(rgb: Rgb): string {
  return `rgb(${rgb.join(", ")})`;
}
