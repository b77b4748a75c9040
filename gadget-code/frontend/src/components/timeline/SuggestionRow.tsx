import { useSession, useSessionActions } from "../../session/session-context.ts";
import { useSuggestions } from "../../session/use-suggestions.ts";

/** What else may be tried, over the empty composer; an empty chat has room to say more of it. */
export function SuggestionRow() {
  const actions = useSessionActions();
  const isTyping = useSession((state) => state.draft !== "");
  const isBegun = useSession((state) => state.order.length > 0);
  const suggestions = useSuggestions();
  if (!isBegun || suggestions.length === 0) {
    return null;
  }
  return (
    // While somebody types it is gone from sight alone: the composer does not move.
    <ul
      aria-label="Suggestions"
      className={`flex gap-1.5 overflow-x-auto sm:flex-wrap low:hidden ${isTyping ? "invisible" : ""}`}
    >
      {suggestions.map(({ prompt, hint }) => (
        <li key={prompt} className="shrink-0">
          <button
            type="button"
            title={hint}
            className="rounded-full border border-line bg-raised px-3 py-0.5 text-[13px] text-muted hover:bg-hover hover:text-ink"
            onClick={() => {
              void actions.submit({ prompt });
              // The button goes with the click; what comes next is written in the composer.
              document.getElementById("message")?.focus();
            }}
          >
            {prompt}
          </button>
        </li>
      ))}
    </ul>
  );
}
