import { type RefObject, useEffect, useState } from "react";
import { findInText } from "./find-in-text.ts";

const togetherMs = 150;
const all = "find";
const current = "find-current";

function paint(name: string, ranges: readonly Range[]): void {
  // An older browser still finds and scrolls; it only does not colour.
  if (typeof Highlight === "undefined") {
    return;
  }
  if (ranges.length === 0) {
    CSS.highlights.delete(name);
  } else {
    CSS.highlights.set(name, new Highlight(...ranges));
  }
}

function findInTurns(root: Element, words: string): Range[] {
  return [...root.querySelectorAll("article")].flatMap((turn) => findInText(turn, words));
}

/** Looks now and whenever the element changes, until the returned function is called. */
function keepFinding(root: Element, words: string, onHits: (hits: Range[]) => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = (): void => {
    timer = undefined;
    const found = findInTurns(root, words);
    paint(all, found);
    onHits(found);
  };
  const soon = (): void => {
    timer ??= setTimeout(look, togetherMs);
  };
  soon();
  const observer = new MutationObserver(soon);
  observer.observe(root, { childList: true, characterData: true, subtree: true });
  return () => {
    clearTimeout(timer);
    observer.disconnect();
    paint(all, []);
  };
}

/** Every place of the words in an element, kept up as that changes. */
export function useFind(root: RefObject<Element | null>, words: string): readonly Range[] {
  const [hits, setHits] = useState<readonly Range[]>([]);
  useEffect(() => {
    const element = root.current;
    return element === null ? undefined : keepFinding(element, words, setHits);
  }, [root, words]);
  return hits;
}

/** Colours the hit that is looked at. */
export function useCurrentHit(hit: Range | undefined): void {
  useEffect(() => {
    paint(current, hit === undefined ? [] : [hit]);
    return () => paint(current, []);
  }, [hit]);
}
