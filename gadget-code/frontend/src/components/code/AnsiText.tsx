import { ansiPieces } from "./ansi-pieces.ts";

/** What a terminal would show, in its colours. */
export function AnsiText({ text }: { text: string }) {
  return ansiPieces(text).map(({ text: piece, className, style }, index) =>
    className === "" && style === undefined ? (
      piece
    ) : (
      <span key={index} className={className} style={style}>
        {piece}
      </span>
    ),
  );
}
