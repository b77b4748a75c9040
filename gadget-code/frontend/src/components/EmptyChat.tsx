import { useSession, useSessionActions } from "../session/session-context.ts";

const suggestions = [
  { prompt: "Explore this project", hint: "List, read and search files, then say what is here" },
  { prompt: "Write a file", hint: "See an edit, its diff, and how to undo it" },
  { prompt: "Start something that won't stop", hint: "Then press Esc twice" },
  { prompt: "Tell me a long story", hint: "Text that you can cancel at any moment" },
];

export function EmptyChat() {
  const actions = useSessionActions();
  const mode = useSession((state) => state.session?.approval);
  return (
    <section className="flex flex-col gap-4 py-[12vh]">
      <h2 className="text-lg font-semibold">What should be done?</h2>
      <ul className="grid gap-2 sm:grid-cols-2">
        {suggestions.map(({ prompt, hint }) => (
          <li key={prompt}>
            <button
              type="button"
              className="card h-full w-full px-3.5 py-2.5 text-left hover:border-line-strong hover:bg-hover"
              onClick={() => void actions.submit({ prompt })}
            >
              <span className="block font-medium">{prompt}</span>
              <span className="block text-[13px] text-muted">{hint}</span>
            </button>
          </li>
        ))}
      </ul>
      <p className="text-[13px] text-faint">
        {mode === "auto" && "Approval is on Auto here: nothing asks before it runs. "}
        File tools stay inside the workspace; the shell is not confined.
      </p>
    </section>
  );
}
