import { describe, expect, it } from "vitest";
import { assistant, called, user } from "../../test/chat-body.ts";
import { next, nextAnswer } from "../../test/next-answer.ts";
import { saysInterrupted } from "../interruption.ts";
import { introduction } from "../next-step.ts";
import { story } from "../story/story.ts";
import { demoScripts } from "../suggestions.ts";
import { tokensOf } from "../tokens.ts";
import { demoTasks } from "./demo-task.ts";

describe("wont-stop", () => {
  const prompt = user("Start something that won't stop");

  it("says how to stop it before it starts the command", () => {
    const { text, calls } = nextAnswer([prompt]);
    expect(text).toContain("Press Esc twice");
    expect(calls).toHaveLength(1);
    expect(calls?.[0]?.input.command).toMatch(/trap '' TERM[\s\S]*setsid/);
    expect(calls?.[0]?.input.timeoutMs).toBe(300_000);
  });

  it("does not start it twice", () => {
    const ended = called("", { name: "shell", result: "command: still here (3)\n" });
    const { text, calls } = nextAnswer([prompt, ...ended]);
    expect(calls).toBeUndefined();
    expect(text).toContain("still here (3)");
  });
});

describe("long-story", () => {
  it("takes about two minutes at 30 tokens a second", () => {
    const seconds = tokensOf(story).length / 30;
    expect(seconds).toBeGreaterThan(105);
    expect(seconds).toBeLessThan(135);
  });

  it("uses every island once", () => {
    const visits = story.split("\n\n").slice(4, -4);
    expect(visits).toHaveLength(24);
    expect(new Set(visits).size).toBe(24);
  });

  it("goes on in mid-sentence after Continue", () => {
    const told = `${introduction}\n\n${story.slice(0, 1000)}`;
    const messages = [user("Tell me a long story"), assistant(told), user("Continue")];
    expect(nextAnswer(messages).text).toBe(story.slice(1000).trimStart());
  });

  it("goes on over two interruptions", () => {
    const messages = [
      user("Tell me a long story"),
      assistant(`${introduction}\n\n${story.slice(0, 1000)}`),
      user("Continue"),
      assistant(story.slice(1000, 1500)),
      user("Please go on"),
    ];
    expect(nextAnswer(messages).text).toBe(story.slice(1500).trimStart());
  });

  it("begins again for a new prompt", () => {
    const messages = [user("Tell me a long story"), assistant(story), user("A long story, please")];
    expect(nextAnswer(messages).text).toContain(story);
  });
});

describe("explore", () => {
  const prompt = user("Explore this project");
  const listing = called(introduction, {
    name: "list_files",
    result: "docs/\nREADME.md\nsrc/\npackage.json\n",
  });
  const found = called(
    "",
    { name: "read_file", input: { path: "README.md" }, result: "     1\t# Sample\n     2\tHi.\n" },
    { name: "grep", result: "src/a.ts:3: // TODO one\nsrc/b.ts:9: // FIXME two" },
  );

  it("lists first", () => {
    expect(nextAnswer([prompt]).calls).toEqual([{ tool: "list_files", input: { path: "." } }]);
  });

  it("reads the README that it saw, and searches, at once", () => {
    expect(nextAnswer([prompt, ...listing]).calls).toEqual([
      { tool: "read_file", input: { path: "README.md" } },
      { tool: "grep", input: { pattern: "TODO|FIXME", path: "." } },
    ]);
  });

  it("makes its summary from what came back", () => {
    const { text, calls } = nextAnswer([prompt, ...listing, ...found]);
    expect(calls).toBeUndefined();
    expect(text).toContain("2 files, 2 folders");
    expect(text).toContain("> # Sample");
    expect(text).toContain("found 2 matches");
    expect(text).toContain("src/a.ts:3: // TODO one");
  });

  it("says what did not work", () => {
    const failed = called("", { name: "list_files", result: "Error: no such folder" });
    expect(nextAnswer([prompt, ...failed]).text).toContain("did not work: Error: no such folder");
  });

  it("says that an empty project is empty", () => {
    const empty = called("", { name: "list_files", result: "" });
    const nothing = called("", { name: "grep", result: "No matches" });
    expect(nextAnswer([prompt, ...empty]).calls?.map(({ tool }) => tool)).toEqual(["grep"]);
    const { text } = nextAnswer([prompt, ...empty, ...nothing]);
    expect(text).toContain("no files here yet");
    expect(text).toContain("found nothing");
  });
});

describe("write-file", () => {
  const prompt = user("Write a file");
  const written = called("", { name: "write_file", result: "Wrote notes/hello.md" });

  it("writes, then edits what it wrote", () => {
    const [write] = nextAnswer([prompt]).calls ?? [];
    const [edit] = nextAnswer([prompt, ...written]).calls ?? [];
    expect(write?.input.path).toBe("notes/hello.md");
    expect(edit?.input.path).toBe("notes/hello.md");
    expect(String(write?.input.content).split(String(edit?.input.oldText))).toHaveLength(2);
  });

  it("reports both results", () => {
    const edited = called("", { name: "edit_file", result: "Edited notes/hello.md" });
    const { text } = nextAnswer([prompt, ...written, ...edited]);
    expect(text).toContain("The tool said: Wrote notes/hello.md");
    expect(text).toContain("The tool said: Edited notes/hello.md");
  });

  it("stops after a write that was denied", () => {
    const denied = called("", { name: "write_file", result: "Denied by the user: not here" });
    const { text, calls } = nextAnswer([prompt, ...denied]);
    expect(calls).toBeUndefined();
    expect(text).toContain("not written");
  });
});

describe("long-command", () => {
  const prompt = user("Run a long-running command");

  it("counts to 60", () => {
    expect(nextAnswer([prompt]).calls?.[0]?.input).toMatchObject({ timeoutMs: 90_000 });
  });

  it.each([
    ["59 of 60\n60 of 60\nDone counting.\nexit code 0", "counted to 60"],
    ["1 of 60\n2 of 60", "ended before 60"],
    ["Denied by the user", "did not run to its end"],
  ])("tells how it ended (%j)", (result, words) => {
    expect(nextAnswer([prompt, ...called("", { name: "shell", result })]).text).toContain(words);
  });
});

describe("ask-question", () => {
  const prompt = user("Ask me a question");

  it("asks with options", () => {
    expect(nextAnswer([prompt]).calls?.[0]?.input.options).toEqual(["Tea", "Coffee", "Just water"]);
  });

  it.each([
    ["Tea", "You chose “Tea”"],
    ['{"answer":"coffee"}', "You chose “Coffee”"],
    ["A nap", "You answered “A nap”"],
    ["Cancelled", "No answer came"],
  ])("answers %s", (result, words) => {
    expect(nextAnswer([prompt, ...called("", { name: "ask_user", result })]).text).toContain(words);
  });
});

describe("subagents", () => {
  const prompt = user("Start parallel subagents");

  it("starts three whose prompts are demo tasks", () => {
    const input = nextAnswer([prompt]).calls?.[0]?.input;
    expect(input).toEqual({
      agents: demoTasks.map(({ title, task }) => ({ title, task: `Demo task: ${task}.` })),
    });
  });

  it("hands its haste on", () => {
    const input = nextAnswer([user("parallel subagents, fast")]).calls?.[0]?.input;
    expect(JSON.stringify(input)).toContain("Be fast.");
  });

  it("quotes their results", () => {
    const ended = called("", { name: "spawn_agents", result: "1: I counted 4\n2: I found 3" });
    expect(nextAnswer([prompt, ...ended]).text).toContain("> 2: I found 3");
  });

  it.each([
    [0, "list_files", "a\nb", "I counted 2 entries"],
    [1, "grep", "a.md:1:# A", "I found 1 headings"],
  ])("plays task %i with a tool", (index, tool, result, words) => {
    const task = user(`Demo task: ${demoTasks[index]?.task}.`);
    expect(nextAnswer([task]).calls?.map((call) => call.tool)).toEqual([tool]);
    expect(nextAnswer([task, ...called("", { name: tool, result })]).text).toContain(words);
  });

  it("plays the task that needs no tool", () => {
    expect(nextAnswer([user(`Demo task: ${demoTasks[2]?.task}.`)]).text).toContain(
      "await them all",
    );
  });
});

describe("think", () => {
  it("reasons before it answers", () => {
    const answer = nextAnswer([user("Think about it first")]);
    expect(answer.reasoning).toContain("Three switches");
    expect(answer.text).toContain("the first switch");
  });
});

describe("error", () => {
  it.each([
    ["error 500", 500],
    ["error 429", 429],
    ["error 503", 503],
    ["show me an error", 500],
  ])("answers “%s” with %i", (prompt, status) => {
    expect(next([user(prompt)])).toMatchObject({ kind: "failure", error: { status } });
  });

  it("breaks off in mid-stream", () => {
    expect(nextAnswer([user("error mid-stream")]).breaksOff).toBe(true);
  });
});

describe("no script", () => {
  it("lists what can be asked", () => {
    const { text } = nextAnswer([user("hello")]);
    for (const { prompt } of demoScripts) {
      expect(text).toContain(prompt);
    }
  });

  it("says words that read like an abort of the turn before", () => {
    const texts = demoScripts.flatMap(({ prompt }) => {
      const step = next([user(prompt)]);
      return step.kind === "answer" ? [step.text, step.reasoning ?? ""] : [];
    });
    const tokens = tokensOf(story);
    const beginnings = tokens.map((_, index) => tokens.slice(0, index + 1).join(""));
    const misread = [...texts, ...beginnings].filter((text) =>
      saysInterrupted([{ role: "assistant", text, calls: [], callId: undefined }]),
    );
    expect(misread.map((text) => text.slice(-300))).toEqual([]);
  });
});
