import { useState } from "react";
import { useLocation } from "react-router";

/** How a link says which words to mark where it leads. */
export interface FindLink {
  find: string;
}

function linkedWords(state: unknown): string {
  if (typeof state !== "object" || state === null || !("find" in state)) {
    return "";
  }
  return typeof state.find === "string" ? state.find : "";
}

/** Find is opened by its key, or with the words of the link that led here. */
export function useFinding() {
  const { key, state } = useLocation();
  const [isAsked, setAsked] = useState(false);
  const [closedAt, setClosedAt] = useState<string>();
  const words = closedAt === key ? "" : linkedWords(state);
  return {
    isOpen: isAsked || words !== "",
    words,
    open: () => setAsked(true),
    close: () => {
      setAsked(false);
      setClosedAt(key);
    },
  };
}
