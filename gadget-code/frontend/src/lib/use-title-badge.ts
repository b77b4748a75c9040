import { useEffect } from "react";
import { sectionsOf } from "./session-state-word.ts";
import { useRequest } from "./use-request.ts";

/** The tab says how many sessions wait for a person. */
export function useTitleBadge(): void {
  const sessions = useRequest("listSessions", { query: { limit: 60 } }, { everyMs: 30_000 });
  const waiting = sectionsOf(sessions.data?.items ?? []).needsYou.length;
  useEffect(() => {
    document.title = waiting > 0 ? `(${waiting}) Gadget Code` : "Gadget Code";
    const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
    if (icon) icon.href = waiting > 0 ? "/favicon-dot.svg" : "/favicon.svg";
  }, [waiting]);
}
