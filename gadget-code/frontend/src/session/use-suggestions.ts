import { useSession } from "./session-context.ts";
import { runningEntry, type SessionState } from "./session-state.ts";

export interface Suggestion {
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

/** What may be tried in a session, for as long as nobody has shown that they need no help. */
export function useSuggestions(): readonly Suggestion[] {
  const isDemo = useSession((state) => state.session?.model === demoModel);
  const all = isDemo ? forDemo : forModels;
  const isWanted = useSession((state) => mayHelp(state, isDemo));
  const sent = useSession(sentPrompts);
  return isWanted ? all.filter(({ prompt }) => !sent.includes(`\n${prompt}\n`)) : [];
}

/** The prompts, one a line: text, so that two looks at the same turns are equal. */
function sentPrompts({ order, turns }: SessionState): string {
  const prompts = order.map((id) => turns.get(id)?.turn.prompt ?? "");
  return prompts.length === 0 ? "" : `\n${prompts.join("\n\n")}\n`;
}

/** People who write prompts of their own know what to say; the demo understands little else. */
function mayHelp(state: SessionState, isDemo: boolean): boolean {
  const { phase, order, turns, older, queue, editing } = state;
  const isFree = runningEntry(state) === undefined && queue.length === 0;
  if (phase !== "open" || !isFree || editing !== undefined) {
    return false;
  }
  const known = new Set([...forDemo, ...forModels].map(({ prompt }) => prompt));
  const isFollowed = order.every((id) => known.has(turns.get(id)?.turn.prompt ?? ""));
  return older === null && (isDemo || isFollowed);
}
