import { count } from "@gadget/api";
import { ChevronDown, ChevronUp, X } from "lucide-react";
import { type KeyboardEvent, type RefObject, useDeferredValue, useState } from "react";
import { sentenceOf } from "../../lib/api.ts";
import { isComposing } from "../../lib/is-composing.ts";
import { showToast } from "../../lib/toast.ts";
import { useRequest } from "../../lib/use-request.ts";
import { useSession, useSessionFeed } from "../../session/session-context.ts";
import { useCurrentHit, useFind } from "./use-find.ts";

interface Props {
  first?: string;
  content: RefObject<HTMLElement | null>;
  show: (element: Element, block: "center") => void;
  onClose: () => void;
}

const button = "rounded p-1 text-muted hover:bg-hover disabled:opacity-40";

/** Finds words in the turns that are loaded, and says in how many older ones they are too. */
export function FindBar({ first = "", content, show, onClose }: Props) {
  const [words, setWords] = useState(first);
  const hits = useFind(content, words);
  const older = useOlderHits(words);
  /** Counted from the end, where one starts; older turns come in before it. */
  const [fromEnd, setFromEnd] = useState<number>();
  const at = fromEnd === undefined ? undefined : Math.max(0, hits.length - 1 - fromEnd);
  useCurrentHit(at === undefined ? undefined : hits[at]);

  const goTo = (index: number): void => {
    setFromEnd(hits.length - 1 - index);
    const element = hits[index]?.startContainer.parentElement;
    if (!element) {
      return;
    }
    const folded = element.closest("details");
    if (folded) {
      folded.open = true;
    }
    show(element, "center");
  };
  const step = (by: 1 | -1): void => {
    const next = at === undefined ? hits.length - 1 : at + by;
    if (next >= 0 && next < hits.length) {
      goTo(next);
    } else if (next < 0 && older.turns > 0) {
      void older.load();
    } else if (hits.length > 0) {
      goTo(next < 0 ? hits.length - 1 : 0);
    }
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (isComposing(event.nativeEvent)) {
      return;
    }
    if (event.key === "Enter") {
      step(event.shiftKey ? 1 : -1);
    } else if (event.key === "Escape") {
      onClose();
    } else {
      return;
    }
    event.preventDefault();
  };

  return (
    <search
      data-owns-escape
      className="absolute top-2 right-4 z-20 flex items-center gap-1 rounded-lg border border-line-strong bg-raised p-1 pl-2 shadow-lg max-sm:left-4"
      onKeyDown={onKeyDown}
    >
      <input
        autoFocus
        aria-label="Find in this session"
        placeholder="Find in this session"
        className="w-52 min-w-0 flex-1 bg-transparent text-[13px] outline-none max-sm:text-base"
        value={words}
        maxLength={200}
        onChange={(event) => {
          setWords(event.target.value);
          setFromEnd(undefined);
        }}
      />
      <span role="status" className="text-xs whitespace-nowrap text-faint tabular-nums">
        {words.trim() !== "" && countWords(at, hits.length, older.turns)}
      </span>
      <button
        type="button"
        className={button}
        aria-label="Previous"
        title="Previous, further up (Enter)"
        disabled={older.isLoading || hits.length + older.turns === 0}
        onClick={() => step(-1)}
      >
        <ChevronUp aria-hidden="true" className="size-4" />
      </button>
      <button
        type="button"
        className={button}
        aria-label="Next"
        title="Next, further down (Shift+Enter)"
        disabled={hits.length === 0}
        onClick={() => step(1)}
      >
        <ChevronDown aria-hidden="true" className="size-4" />
      </button>
      <button type="button" className={button} aria-label="Close find" onClick={onClose}>
        <X aria-hidden="true" className="size-4" />
      </button>
    </search>
  );
}

function countWords(at: number | undefined, hits: number, older: number): string {
  const more = older === 0 ? "" : ` + ${count(older, "older turn")}`;
  return at === undefined ? `${hits}${more}` : `${at + 1} of ${hits}${more}`;
}

interface OlderHits {
  /** How many turns that are not loaded have the words. */
  turns: number;
  isLoading: boolean;
  /** Loads turns up to the newest of them. */
  load: () => Promise<void>;
}

function useOlderHits(words: string): OlderHits {
  const feed = useSessionFeed();
  const held = useSession((state) => state.turns);
  const isAll = useSession((state) => state.older === null);
  const [isLoading, setLoading] = useState(false);
  const q = useDeferredValue(words.trim());
  const { sessionId } = feed;
  const enabled = q.length > 1 && !isAll;
  const found = useRequest("search", { query: { q, sessionId, limit: 200 } }, { enabled });
  const unloaded = (enabled ? (found.data?.items ?? []) : []).flatMap(({ turnId }) =>
    turnId === undefined || held.has(turnId) ? [] : [turnId],
  );
  const [newest] = unloaded;
  const load = async (): Promise<void> => {
    if (newest === undefined || isLoading) {
      return;
    }
    setLoading(true);
    try {
      const { store } = feed;
      while (!store.getState().turns.has(newest) && store.getState().older !== null) {
        await feed.loadOlder();
      }
    } catch (error) {
      showToast(sentenceOf(error), { tone: "error" });
    } finally {
      setLoading(false);
    }
  };
  return { turns: unloaded.length, isLoading, load };
}
