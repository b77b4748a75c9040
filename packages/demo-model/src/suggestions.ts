/** A prompt that a script answers to. */
export interface DemoSuggestion {
  id: string;
  title: string;
  prompt: string;
  description: string;
}

export const demoScripts: readonly DemoSuggestion[] = [
  {
    id: "wont-stop",
    title: "Stop the unstoppable",
    prompt: "Start something that won't stop",
    description: "a command that ignores every polite signal; press Esc twice",
  },
  {
    id: "explore",
    title: "Explore this project",
    prompt: "Explore this project",
    description: "lists, reads and searches files, then says what came back",
  },
  {
    id: "write-file",
    title: "Write a file",
    prompt: "Write a file",
    description: "writes and edits `notes/hello.md`",
  },
  {
    id: "long-story",
    title: "Tell a long story",
    prompt: "Tell me a long story",
    description: "two minutes of slow text",
  },
  {
    id: "long-command",
    title: "Run a slow command",
    prompt: "Run a long-running command",
    description: "counts to 60, once a second",
  },
  {
    id: "ask-question",
    title: "Ask me something",
    prompt: "Ask me a question",
    description: "waits for your answer",
  },
  {
    id: "subagents",
    title: "Start subagents",
    prompt: "Start parallel subagents",
    description: "three at the same time",
  },
  {
    id: "think",
    title: "Think first",
    prompt: "Think about it first",
    description: "shows reasoning, then the answer",
  },
  {
    id: "error",
    title: "See an error",
    prompt: "Show me an error mid-stream",
    description: "what a failing provider looks like",
  },
];
