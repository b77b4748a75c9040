import { useEffect, useState } from "react";

export interface HighlightQuestion {
  id: number;
  code: string;
  language: string;
}

export interface HighlightedPiece {
  text: string;
  light: string;
  dark: string;
}

export interface HighlightAnswer {
  id: number;
  /** Undefined where the language is not known: the code stays as it is. */
  lines: HighlightedPiece[][] | undefined;
}

const longest = 100_000;
let worker: Worker | undefined;
let last = 0;
const waiting = new Map<number, (lines: HighlightAnswer["lines"]) => void>();

/** One worker for the page, started by the first piece of code. */
function askWorker(question: HighlightQuestion): void {
  if (worker === undefined) {
    worker = new Worker(new URL("./highlight-worker.ts", import.meta.url), { type: "module" });
    worker.addEventListener("message", ({ data }: MessageEvent<HighlightAnswer>) => {
      waiting.get(data.id)?.(data.lines);
      waiting.delete(data.id);
    });
  }
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker, not a window
  worker.postMessage(question);
}

/** The colours of a piece of code, once a worker has found them. */
export function useHighlight(
  code: string,
  language: string,
  enabled: boolean,
): HighlightAnswer["lines"] {
  const [found, setFound] = useState<{ code: string; lines: HighlightAnswer["lines"] }>();
  const name = language.split(/[\s,{]/, 1)[0]?.toLowerCase() ?? "";
  const isWanted = enabled && name !== "" && code.length <= longest && "Worker" in globalThis;
  useEffect(() => {
    if (!isWanted) {
      return;
    }
    const id = ++last;
    waiting.set(id, (lines) => setFound({ code, lines }));
    askWorker({ id, code, language: name });
    return () => void waiting.delete(id);
  }, [isWanted, code, name]);
  return found?.code === code ? found.lines : undefined;
}
