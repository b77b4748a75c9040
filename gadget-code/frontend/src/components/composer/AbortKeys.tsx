import { turnActions } from "@gadget/api";
import { useEffect } from "react";
import { useSession, useSessionActions, useSessionFeed } from "../../session/session-context.ts";
import { runningEntry } from "../../session/session-state.ts";
import { statusOf } from "../../session/turn-entry.ts";
import { useDoubleEscape } from "./use-double-escape.ts";

/** Esc Esc and mod+. end the running turn. It renders nothing; the composer shows the hint. */
export function AbortKeys() {
  const { store } = useSessionFeed();
  const actions = useSessionActions();
  const turnId = useSession((state) => {
    const entry = runningEntry(state);
    if (entry === undefined || state.cancelling.has(entry.turn.id)) {
      return undefined;
    }
    return turnActions(statusOf(entry)).cancel && statusOf(entry) !== "aborting"
      ? entry.turn.id
      : undefined;
  });

  useDoubleEscape({
    turnId,
    onArm: () => store.setState({ isEscapeArmed: true }),
    onDisarm: () => store.setState({ isEscapeArmed: false }),
    onAbort: () => turnId && void actions.abort(turnId),
  });

  useEffect(() => {
    if (turnId === undefined) {
      return;
    }
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key !== "." || !(event.metaKey || event.ctrlKey) || event.repeat) {
        return;
      }
      event.preventDefault();
      void actions.abort(turnId);
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, [turnId, actions]);

  return null;
}
