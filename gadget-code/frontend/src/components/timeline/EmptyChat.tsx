import { useSession, useSessionActions } from "../../session/session-context.ts";

interface Suggestion {
  prompt: string;
  hint: string;
  /** Where commands wait for an approval. */
  hintWhereAsked?: string;
}

const forDemo: readonly Suggestion[] = [
  { prompt: "Explore this project", hint: "List, read and search files, then say what is here" },
  { prompt: "Write a file", hint: "See an edit, its diff, and how to undo it" },
  {
    prompt: "Start something that won't stop",
    hint: "Then press Esc twice",
    hintWhereAsked: "It asks first: allow it, then press Esc twice",
  },
  { prompt: "Tell me a long story", hint: "Text that you can cancel at any moment" },
];

const forModels: readonly Suggestion[] = [
  { prompt: "Explain how this project is built", hint: "Its parts, how they fit, where to begin" },
  {
    prompt: "Run the tests and fix what fails",
    hint: "Commands ask you first unless you say Never ask",
  },
  { prompt: "Review the uncommitted changes", hint: "Bugs, risks and what is not tested" },
  { prompt: "Find something to tidy up", hint: "A small change, with its diff and an undo" },
];

/** The demo is a script: what it can do is known. Its one model has this name. */
const demoModel = "demo";

export function EmptyChat() {
  const actions = useSessionActions();
  const isDemo = useSession((state) => state.session?.model === demoModel);
  const mode = useSession((state) => state.session?.approval);
  const asks = mode === "edits" || mode === "ask";
  return (
    <section className="flex flex-col gap-4 py-[12vh]">
      <h2 className="text-lg font-semibold">What should we do?</h2>
      <ul className="grid gap-2 sm:grid-cols-2">
        {(isDemo ? forDemo : forModels).map(({ prompt, hint, hintWhereAsked }) => (
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
        {mode === "auto" && "Auto: commands and edits run without asking. "}
        File tools stay inside the workspace; the shell is not confined.
      </p>
    </section>
  );
}
