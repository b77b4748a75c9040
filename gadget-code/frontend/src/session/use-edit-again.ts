import { useSessionActions, useSessionFeed } from "./session-context.ts";

/** Puts an earlier prompt into the composer, under what stands there already. */
export function useEditAgain(): (prompt: string) => void {
  const actions = useSessionActions();
  const feed = useSessionFeed();
  return (prompt) => {
    const { draft } = feed.store.getState();
    actions.setDraft(draft.trim() === "" ? prompt : `${draft}\n\n${prompt}`);
    document.getElementById("message")?.focus();
  };
}
