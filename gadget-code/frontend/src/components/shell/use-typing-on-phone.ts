import { useEffect, useState } from "react";

/** A window is this low only while a phone's keyboard is up. */
const lowPx = 560;
/** A press on a button takes the focus from the text before it lands; nothing may move under it. */
const lingerMs = 400;

function isInText(): boolean {
  const element = document.activeElement;
  return (
    element instanceof HTMLTextAreaElement ||
    (element instanceof HTMLInputElement && element.type !== "checkbox")
  );
}

/** Whether somebody writes with the keyboard over the lower half of the screen. */
export function useTypingOnPhone(): boolean {
  const [isTyping, setTyping] = useState(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = (): void => {
      clearTimeout(timer);
      const now = isInText() && (window.visualViewport?.height ?? window.innerHeight) <= lowPx;
      if (now) {
        setTyping(true);
      } else {
        timer = setTimeout(() => setTyping(false), lingerMs);
      }
    };
    look();
    const { visualViewport } = window;
    document.addEventListener("focusin", look);
    document.addEventListener("focusout", look);
    window.addEventListener("resize", look);
    visualViewport?.addEventListener("resize", look);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("focusin", look);
      document.removeEventListener("focusout", look);
      window.removeEventListener("resize", look);
      visualViewport?.removeEventListener("resize", look);
    };
  }, []);
  return isTyping;
}
