/** The engine's own search is the quickest, but for a long piece it may go over the text many times. */
const longestSearched = 500;

/** Where a piece stands in a text, without overlaps, at most so many places; in linear steps. */
export function placesOf(text: string, piece: string, most: number): number[] {
  return piece.length <= longestSearched ? searched(text, piece, most) : matched(text, piece, most);
}

function searched(text: string, piece: string, most: number): number[] {
  const places: number[] = [];
  let at = text.indexOf(piece);
  while (at >= 0 && places.length < most) {
    places.push(at);
    at = text.indexOf(piece, at + piece.length);
  }
  return places;
}

/** Knuth, Morris and Pratt: no character of the text is looked at again. */
function matched(text: string, piece: string, most: number): number[] {
  const back = borders(piece);
  const places: number[] = [];
  let same = 0;
  for (let at = 0; at < text.length && places.length < most; at++) {
    const code = text.charCodeAt(at);
    while (same > 0 && piece.charCodeAt(same) !== code) {
      same = back[same - 1] ?? 0;
    }
    same += piece.charCodeAt(same) === code ? 1 : 0;
    if (same === piece.length) {
      places.push(at - same + 1);
      same = 0;
    }
  }
  return places;
}

/** For each beginning of the piece, how long its longest end is that is a beginning, too. */
function borders(piece: string): Int32Array {
  const back = new Int32Array(piece.length);
  let same = 0;
  for (let at = 1; at < piece.length; at++) {
    while (same > 0 && piece.charCodeAt(same) !== piece.charCodeAt(at)) {
      same = back[same - 1] ?? 0;
    }
    same += piece.charCodeAt(same) === piece.charCodeAt(at) ? 1 : 0;
    back[at] = same;
  }
  return back;
}
