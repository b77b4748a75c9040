import { useEffect } from "react";
import { useLocation } from "react-router";
import { useRequest } from "../../lib/use-request.ts";
import { sectionsOf } from "../sessions/session-word.ts";
import { setWaiting, usePageTitle } from "./use-page-title.ts";

/** The tab says which session it shows, and how many sessions wait for a person. */
export function useTitleBadge(): void {
  const sessions = useRequest("listSessions", { query: { limit: 60 } }, { everyMs: 30_000 });
  const { pathname } = useLocation();
  const items = sessions.data?.items ?? [];
  const waiting = sectionsOf(items).needsYou.length;
  const shown = items.find(({ id }) => pathname === `/sessions/${id}`)?.title;
  usePageTitle(shown);
  useEffect(() => {
    setWaiting(waiting);
    const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
    if (icon) {
      icon.href = waiting > 0 ? "/favicon-dot.svg" : "/favicon.svg";
    }
  }, [waiting]);
}
