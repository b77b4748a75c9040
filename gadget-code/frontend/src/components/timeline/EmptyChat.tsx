import { useSession, useSessionActions } from "../../session/session-context.ts";
import { useSuggestions } from "../../session/use-suggestions.ts";

export function EmptyChat() {
  const actions = useSessionActions();
  const suggestions = useSuggestions();
  const mode = useSession((state) => state.session?.approval);
  const asks = mode === "edits" || mode === "ask";
  return (
    <section className="flex flex-col gap-4 py-[12vh]">
      <h2 className="text-lg font-semibold">What should we do?</h2>
      <ul className="grid gap-2 sm:grid-cols-2">
        {suggestions.map(({ prompt, hint, hintWhereAsked }) => (
          <li key={prompt}>
            <button
              type="button"
              className="card h-full w-full px-3.5 py-2.5 text-left hover:border-line-strong hover:bg-hover"
              onClick={() => {
                void actions.submit({ prompt });
                // The button goes with the click; what comes next is written in the composer.
                document.getElementById("message")?.focus();
              }}
            >
              <span className="block font-medium">{prompt}</span>
              <span className="block text-[13px] text-muted">
                {(asks && hintWhereAsked) || hint}
              </span>
            </button>
          </li>
        ))}
      </ul>
      <p className="text-[13px] text-faint">
        {mode === "auto" && "Commands and edits run without asking. "}
        File tools stay inside the workspace; the shell is not confined.
      </p>
    </section>
  );
}
