import type { TurnId } from "@gadget/api";
import { type RefObject, useCallback, useDeferredValue, useEffect, useRef, useState } from "react";
import { useLocation } from "react-router";
import { sentenceOf } from "../../lib/api.ts";
import { showToast } from "../../lib/toast.ts";
import { useSession, useSessionFeed } from "../../session/session-context.ts";
import { ChatTurn } from "../ChatTurn.tsx";
import { Button } from "../ui/Button.tsx";
import { EmptyChat } from "./EmptyChat.tsx";
import { FindBar } from "./FindBar.tsx";
import { JumpToLatest } from "./JumpToLatest.tsx";
import { KeepPlace } from "./KeepPlace.tsx";
import { useFollowScroll } from "./use-follow-scroll.ts";

/** What fills a screen is drawn at once, the turns above it when there is time. */
const atOnce = 2;

function useShownTurns(): readonly TurnId[] {
  const order = useSession((state) => state.order);
  const later = new Set(useDeferredValue(order, noTurns));
  return order.filter((id, index) => index >= order.length - atOnce || later.has(id));
}

const noTurns: readonly TurnId[] = [];

interface Props {
  isFinding: boolean;
  /** What to find first. */
  words?: string;
  onCloseFind: () => void;
}

export function Timeline({ isFinding, words = "", onCloseFind }: Props) {
  const order = useShownTurns();
  const isOpen = useSession((state) => state.phase === "open");
  const { box, content, isFollowing, jumpToLatest, leave, show } = useFollowScroll();
  useLinkedTurn(order, show);
  const shownAgent = useSession((state) => state.shownAgent);
  useEffect(() => {
    if (shownAgent !== undefined) {
      leave();
    }
  }, [shownAgent, leave]);
  return (
    <div className="relative min-h-0 flex-1">
      <div ref={box} className="h-full overflow-y-auto overscroll-contain">
        <div ref={content} className="mx-auto flex max-w-3xl flex-col px-4 pb-4">
          <KeepPlace box={box} first={order[0]} isFollowing={isFollowing} />
          <OlderTurns box={box} isFollowing={isFollowing} onLoad={leave} />
          {!isOpen && order.length === 0 && <TimelineSkeleton />}
          {isOpen && order.length === 0 && <EmptyChat />}
          <div className="divide-y divide-line">
            {order.map((turnId) => (
              <ChatTurn key={turnId} turnId={turnId} />
            ))}
          </div>
        </div>
      </div>
      {isFinding && (
        <FindBar key={words} first={words} content={content} show={show} onClose={onCloseFind} />
      )}
      {!isFollowing && <JumpToLatest onJump={jumpToLatest} />}
    </div>
  );
}

/** A link from the search names a turn: once that is drawn, it is shown. */
function useLinkedTurn(order: readonly TurnId[], show: (element: Element) => void): void {
  const { hash } = useLocation();
  const shown = useRef<string>(undefined);
  useEffect(() => {
    const id = hash.replace(/^#turn-/, "");
    if (id === hash || shown.current === hash || !order.some((each) => each === id)) {
      return;
    }
    const element = document.querySelector(`[data-turn-id="${CSS.escape(id)}"]`);
    if (element === null) {
      return;
    }
    shown.current = hash;
    show(element);
  }, [hash, order, show]);
}

/** This near to the top, what lies before it is fetched while one is still reading. */
const soonPx = 600;

interface OlderProps {
  box: RefObject<HTMLDivElement | null>;
  isFollowing: boolean;
  onLoad: () => void;
}

/** Older turns come when one scrolls up to them, and by a button, which needs no scrolling. */
function OlderTurns({ box, isFollowing, onLoad }: OlderProps) {
  const feed = useSessionFeed();
  const older = useSession((state) => state.older);
  const [isLoading, setLoading] = useState(false);
  const isBusy = useRef(false);
  const load = useCallback(async (): Promise<void> => {
    if (isBusy.current) {
      return;
    }
    isBusy.current = true;
    setLoading(true);
    try {
      await feed.loadOlder();
    } catch (error) {
      showToast(sentenceOf(error), { tone: "error" });
    } finally {
      isBusy.current = false;
      setLoading(false);
    }
  }, [feed]);
  useEffect(() => {
    const element = box.current;
    if (element === null || older === null || isFollowing) {
      return;
    }
    let lastTop = element.scrollTop;
    const onScroll = () => {
      const isUp = element.scrollTop < lastTop;
      lastTop = element.scrollTop;
      if (isUp && lastTop < soonPx) {
        void load();
      }
    };
    element.addEventListener("scroll", onScroll, { passive: true });
    return () => element.removeEventListener("scroll", onScroll);
  }, [box, older, isFollowing, load]);
  if (older === null) {
    return null;
  }
  return (
    <Button
      small
      tone="quiet"
      className="mt-3 self-center"
      disabled={isLoading}
      onClick={() => {
        onLoad();
        void load();
      }}
    >
      {isLoading ? "Loading…" : "Load older turns"}
    </Button>
  );
}

function TimelineSkeleton() {
  return (
    <div className="flex flex-col gap-3 py-6" role="status" aria-label="Opening the session">
      {["w-3/4", "w-full", "w-1/2"].map((width) => (
        <div key={width} className={`pulse h-4 rounded bg-hover ${width}`} />
      ))}
    </div>
  );
}
