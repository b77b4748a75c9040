import { describe, expect, it } from "vitest";
import { assistant, called, tools, user } from "../test/chat-body.ts";
import { next, nextAnswer } from "../test/next-answer.ts";
import { introduction, scriptFor } from "./next-step.ts";
import { demoScripts } from "./suggestions.ts";

describe("the choice of a script", () => {
  it.each(demoScripts)("plays $id for the suggestion “$prompt”", ({ id, prompt }) => {
    expect(scriptFor(prompt).id).toBe(id);
    expect(scriptFor(`${prompt.toLowerCase()}, fast please`).id).toBe(id);
  });

  it.each([
    ["start something that won’t stop", "wont-stop"],
    ["long-running command", "long-command"],
    ["error mid-stream", "error"],
    ["error", "error"],
    ["Please fix the error in my parser", "greeting"],
    ["hello", "greeting"],
    ["", "greeting"],
  ])("takes “%s” for %s", (prompt, id) => {
    expect(scriptFor(prompt).id).toBe(id);
  });
});

describe("the first answer of a conversation", () => {
  it.each(demoScripts.filter(({ id }) => id !== "error"))(
    "says in its first sentence that it is a script ($id)",
    ({ prompt }) => {
      expect(nextAnswer([user(prompt)]).text.startsWith(introduction)).toBe(true);
    },
  );

  it("says it once", () => {
    const first = nextAnswer([user("hello")]).text;
    const second = nextAnswer([user("hello"), assistant(first), user("hello again")]);
    expect(second.text).not.toContain(introduction);
  });

  it("says it again when it was cut off the first time", () => {
    const cut = introduction.slice(0, 12);
    const second = nextAnswer([user("hello"), assistant(cut), user("hello again")]);
    expect(second.text.startsWith(introduction)).toBe(true);
  });
});

describe("a turn that was cut short", () => {
  it.each([
    ["a note behind the answer", [assistant("Once upon\n\n[The turn was aborted by the user.]")]],
    [
      "a tool result",
      called("", { name: "shell", result: "Cancelled: the user aborted the turn." }),
    ],
    [
      "a call that never started",
      called("", { name: "shell", result: "This call never started." }),
    ],
    ["a system note", [assistant("Once"), { role: "system", content: "You were interrupted." }]],
  ])("is acknowledged in one sentence (%s)", (_, between) => {
    const messages = [user("Tell me a long story"), ...between, user("hello")];
    expect(nextAnswer(messages).text).toContain("the turn before this one ended early.");
  });

  it("is acknowledged when the new prompt carries the note", () => {
    const prompt = user("[The previous turn was interrupted: the drone was lost.]\n\nhello");
    expect(nextAnswer([user("hi"), assistant("Once"), prompt]).text).toContain("ended early");
  });

  it("does not take standing instructions about aborts for an abort", () => {
    const system = { role: "system", content: "A call may never have started: believe it." };
    expect(nextAnswer([system, user("hello")]).text).not.toContain("ended early");
  });

  it("does not make an old prompt count again when a client joins messages", () => {
    const note = "(The previous answer was interrupted before it was complete.)";
    const joined = user(`Start something that won't stop\n\n${note}\n\nthanks`);
    const answer = nextAnswer([joined]);
    expect(answer.calls).toBeUndefined();
    expect(answer.text).toContain("ended early");
  });

  it("goes on when Continue stands behind the note", () => {
    const listing = called(introduction, { name: "list_files", result: "README.md" });
    const note = "(The previous answer was interrupted before it was complete.)";
    const messages = [user("Explore this project"), ...listing, user(`${note}\n\nContinue.`)];
    const answer = nextAnswer(messages);
    expect(answer.calls?.map(({ tool }) => tool)).toEqual(["read_file", "grep"]);
    expect(answer.text).not.toContain("Continue");
  });

  it("is not acknowledged twice, nor after a turn that finished", () => {
    const aborted = [user("hi"), assistant("Once [aborted by the user]"), user("hello")];
    const later = [...aborted, assistant("Nice to have you here."), user("hello again")];
    expect(nextAnswer(later).text).not.toContain("ended early");
  });

  it("is not a turn that went on to its end after a command met its time limit", () => {
    const result = "1\n2\n[stopped after 5000 ms; give timeoutMs for longer commands]";
    const ended = called(introduction, { name: "shell", result });
    const messages = [user("count to 60"), ...ended, assistant("It took long."), user("hello")];
    expect(nextAnswer(messages).text).not.toContain("ended early");
  });

  it.each([
    "The outcome of this tool call is unknown. The user stopped this call; the turn goes on.",
    "The outcome of this tool call is unknown. It was stopped at its time limit of 5 s.",
    "This tool call never started: nothing was run. It was not allowed: no shell here",
  ])("is not the same as a call that was stopped: %s", (result) => {
    const ended = called(introduction, { name: "shell", result });
    const messages = [user("count to 60"), ...ended, assistant("It ended."), user("hello")];
    expect(nextAnswer(messages).text).not.toContain("ended early");
  });

  it("is not read out of what a tool found in a file", () => {
    const file = `${"A long text. ".repeat(60)}The turn was aborted.${" More of it.".repeat(60)}`;
    const read = called("", { name: "read_file", result: file });
    const messages = [user("Explore"), ...read, assistant("Done."), user("hello")];
    expect(nextAnswer(messages).text).not.toContain("ended early");
  });
});

describe("a message in the middle of a turn", () => {
  const listing = called(introduction, { name: "list_files", result: "README.md\nsrc/" });

  it("is read, and the script goes on", () => {
    const answer = nextAnswer([user("Explore this project"), ...listing, user("mind the gap")]);
    expect(answer.text).toContain("“mind the gap”");
    expect(answer.calls?.map(({ tool }) => tool)).toEqual(["read_file", "grep"]);
  });

  it("is no abort of the calls that it skips", () => {
    const skipped = "This tool call never started. It was skipped because the user sent a message.";
    const list = called(introduction, { name: "list_files", result: skipped });
    const answer = nextAnswer([user("Explore this project"), ...list, user("mind the gap")]);
    expect(answer.text).toContain("“mind the gap”");
    expect(answer.text).not.toContain("ended early");
  });

  it("is mentioned once", () => {
    const more = called("I read your message", { name: "read_file", result: "# Title" });
    const messages = [user("Explore this project"), ...listing, user("mind the gap"), ...more];
    expect(nextAnswer(messages).text).not.toContain("mind the gap");
  });

  it("starts another script when it asks for one", () => {
    const answer = nextAnswer([user("Explore this project"), ...listing, user("write a file")]);
    expect(answer.calls?.map(({ tool }) => tool)).toEqual(["write_file"]);
  });

  it("is a new prompt when the turn before it was aborted", () => {
    const shell = called(introduction, { name: "shell", result: "Aborted by the user." });
    const answer = nextAnswer([user("Start something that won't stop"), ...shell, user("thanks")]);
    expect(answer.calls).toBeUndefined();
    expect(answer.text).toContain("Nice to have you here");
  });
});

describe("what a request does not offer", () => {
  it.each(demoScripts.filter(({ id }) => id !== "error"))("is not called ($id)", ({ prompt }) => {
    expect(nextAnswer([user(prompt)], []).calls ?? []).toEqual([]);
  });

  it("leaves a script with what came back so far", () => {
    const listing = called(introduction, { name: "list_files", result: "README.md\nsrc/" });
    const messages = [user("Explore this project"), ...listing, user("Finish up now.")];
    expect(nextAnswer(messages, []).text).toContain("`README.md`");
  });

  it("is no reason to call something that was not asked for", () => {
    const offered = tools.filter((tool) => tool.function.name === "read_file");
    expect(nextAnswer([user("Write a file")], offered).text).toContain("`write_file`");
  });
});

describe("a request to compact the conversation", () => {
  const transcript =
    "[user]\nTell me a long story\n\n[call of shell] {}\n\n[tool]\nThe turn was aborted.\n\n[user]\nhi";
  const request = user(
    `<transcript>\n${transcript}\n</transcript>\n\nWrite the summary of all of it.`,
  );

  it("gets a short summary that chooses no script later", () => {
    const { text } = nextAnswer([request], []);
    expect(text).toMatch(/^A script, not an AI.*user until here: 2\. Tools used: shell\./);
    expect(scriptFor(`Summary of the conversation until here:\n\n${text}\n\nhello`).id).toBe(
      "greeting",
    );
  });
});

it("gives the same step for the same messages", () => {
  for (const { prompt } of demoScripts) {
    expect(next([user(prompt)])).toEqual(next([user(prompt)]));
  }
});
