import { type RefObject, useCallback, useEffect, useRef, useState } from "react";

const nearPx = 24;
const upKeys = new Set(["ArrowUp", "PageUp", "Home"]);

interface FollowScroll {
  box: RefObject<HTMLDivElement | null>;
  content: RefObject<HTMLDivElement | null>;
  isFollowing: boolean;
  jumpToLatest: () => void;
  /** Stays where it is, whatever comes. */
  leave: () => void;
  /** Shows something further up, and stays there. */
  show: (element: Element, block?: "start" | "center") => void;
}

/**
 * FOLLOW or FREE. While following, the end of the content stays in sight as it grows. Only the
 * user's own intent leaves it (wheel, touch, keys, the scrollbar), never a change of height;
 * scrolling back to the end, or the pill, returns to it.
 */
export function useFollowScroll(): FollowScroll {
  const box = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const following = useRef(true);
  const [isFollowing, setFollowing] = useState(true);

  const set = useCallback((follow: boolean) => {
    following.current = follow;
    setFollowing(follow);
  }, []);

  const jumpToLatest = useCallback(() => {
    set(true);
    if (box.current) {
      box.current.scrollTop = box.current.scrollHeight;
    }
  }, [set]);

  const leave = useCallback(() => set(false), [set]);

  const show = useCallback(
    (element: Element, block: "start" | "center" = "start") => {
      set(false);
      element.scrollIntoView({ block });
    },
    [set],
  );

  useEffect(() => {
    const element = box.current;
    const inner = content.current;
    if (!element || !inner) {
      return;
    }
    let isDragging = false;
    let lastTop = element.scrollTop;
    const isAtEnd = () => element.scrollHeight - element.scrollTop - element.clientHeight <= nearPx;
    const leaveIfLong = () => {
      if (element.scrollHeight > element.clientHeight) {
        set(false);
      }
    };
    const toEnd = () => {
      if (following.current) {
        element.scrollTop = element.scrollHeight;
      }
    };
    const onScroll = () => {
      const isUp = element.scrollTop < lastTop;
      lastTop = element.scrollTop;
      if (isDragging && isUp) {
        leaveIfLong();
      } else if (!isUp && !following.current && isAtEnd()) {
        set(true);
      }
    };
    const listeners: [string, (event: Event) => void][] = [
      ["wheel", (event) => event instanceof WheelEvent && event.deltaY < 0 && leaveIfLong()],
      ["touchmove", () => !isAtEnd() && leaveIfLong()],
      [
        "keydown",
        (event) => event instanceof KeyboardEvent && upKeys.has(event.key) && leaveIfLong(),
      ],
      ["pointerdown", (event) => (isDragging = event.target === element)],
      ["scroll", onScroll],
    ];
    const drop = () => (isDragging = false);
    for (const [type, listener] of listeners) {
      element.addEventListener(type, listener, { passive: true });
    }
    window.addEventListener("pointerup", drop);
    const observer = new ResizeObserver(toEnd);
    observer.observe(inner);
    observer.observe(element);
    toEnd();
    return () => {
      observer.disconnect();
      window.removeEventListener("pointerup", drop);
      for (const [type, listener] of listeners) {
        element.removeEventListener(type, listener);
      }
    };
  }, [set]);

  return { box, content, isFollowing, jumpToLatest, leave, show };
}
