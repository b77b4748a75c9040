import { setTimeout as delay } from "node:timers/promises";
import type { ApprovalMode } from "@gadget/api";
import type { ModelCall } from "@gadget/testing/scripted-model";
import { descendantKinds, kindNames } from "../../../gadget-drone/test/process/descendants.ts";

/** What a turn is in the middle of when it is aborted. */
export interface Scene {
  approval?: ApprovalMode;
  model?: string;
  /** Its workspace has to be cloned first. */
  isCloned?: boolean;
  /** Another turn holds its workspace. */
  isQueued?: boolean;
  /** So much was said before in its session that it has to be summarised first. */
  isLong?: boolean;
  /** Milliseconds after the prompt at which to abort, beside the boundaries. */
  moments?: readonly number[];
  /** How the model answers the prompt, and after that its tools' results. */
  answer: (call: ModelCall) => void | Promise<void>;
  /** How many events it gives before it waits or ends: the boundaries to abort at. */
  boundaries: number;
}

const pause = () => delay(15);

async function words(call: ModelCall, say: (word: string) => void): Promise<void> {
  for (let word = 0; word < 40 && !call.isClosed; word += 1) {
    say(`word ${word} `);
    await pause();
  }
  if (!call.isClosed) {
    call.end();
  }
}

/** Calls these tools first, and ends when it has their results. */
function tools(...calls: [name: string, input: object][]): Scene["answer"] {
  return async (call) => {
    if (call.toolResults.length > 0) {
      call.text("All done.");
    } else {
      for (const [name, input] of calls) {
        if (call.isClosed) {
          return;
        }
        call.tool(name, input);
        await pause();
      }
    }
    if (!call.isClosed) {
      call.end();
    }
  };
}

/** A child's conversation begins with its task, which tells whose child it is. */
const spawnBelow = (call: ModelCall, depth: number): object => ({
  title: `Level ${depth}`,
  task: `${/case \d+: [^.]+\./.exec(call.prompt)?.[0]} Work at level ${depth}.`,
});

/** A child, and a child of that one, which talks. */
async function twoDeep(call: ModelCall): Promise<void> {
  const level = /level (\d)/.exec(call.prompt)?.[1];
  if (call.toolResults.length > 0) {
    call.text("All done.");
    call.end();
  } else if (level === "2") {
    await words(call, (word) => call.text(word));
  } else {
    call.tool("spawn_agent", spawnBelow(call, level === "1" ? 2 : 1));
    call.end();
  }
}

async function group(call: ModelCall): Promise<void> {
  if (call.toolResults.length > 0) {
    call.text("All done.");
    call.end();
  } else if (/level \d/.test(call.prompt)) {
    await words(call, (word) => call.text(word));
  } else {
    call.tool("spawn_agents", { agents: [1, 2, 3].map((depth) => spawnBelow(call, depth)) });
    call.end();
  }
}

function shortly(call: ModelCall): void {
  call.text("Yes.");
  call.end();
}

const shells = Object.fromEntries(
  kindNames.map((kind): [string, Scene] => [
    `shell with a ${kind}`,
    { answer: tools(["shell", { command: descendantKinds[kind] }]), boundaries: 5 },
  ]),
);

export const scenes: Record<string, Scene> = {
  text: { answer: (call) => words(call, (word) => call.text(word)), boundaries: 12 },
  reasoning: { answer: (call) => words(call, (word) => call.reasoning(word)), boundaries: 8 },
  "streaming arguments": {
    answer: async (call) => {
      if (call.toolResults.length > 0) {
        call.text("All done.");
      } else {
        await call.slowTool("shell", { command: "echo 1; ".repeat(30) }, pause);
      }
      if (!call.isClosed) {
        call.end();
      }
    },
    boundaries: 10,
  },
  "three parallel tools": {
    answer: tools(
      ["read_file", { path: "stubborn.sh" }],
      ["list_files", { path: "." }],
      ["shell", { command: "sleep 300" }],
    ),
    boundaries: 10,
  },
  ...shells,
  ask_user: { answer: tools(["ask_user", { question: "Which one?" }]), boundaries: 6 },
  "an approval": {
    approval: "ask",
    answer: tools(["shell", { command: "touch approved" }]),
    boundaries: 6,
  },
  wait: { answer: tools(["wait", { seconds: 300 }]), boundaries: 5 },
  "back-off": {
    answer: (call) => call.refuse(429, { "retry-after": "60" }),
    boundaries: 2,
  },
  "subagents two deep": { answer: twoDeep, boundaries: 12 },
  "a parallel group": { answer: group, boundaries: 12 },
  compaction: {
    isLong: true,
    model: "scripted-small",
    answer: async (call) => {
      if (call.prompt.includes("Write the summary")) {
        await words(call, (word) => call.text(word));
      } else {
        shortly(call);
      }
    },
    boundaries: 3,
    moments: [100, 200, 300, 400, 500, 600],
  },
  "git clone": {
    isCloned: true,
    answer: shortly,
    boundaries: 3,
    moments: [50, 100, 150, 200, 300, 400, 500, 600],
  },
  "the queue": { isQueued: true, answer: shortly, boundaries: 1, moments: [0, 20, 100] },
  "the moment of dispatch": {
    answer: shortly,
    boundaries: 1,
    moments: [0, 1, 2, 3, 5, 8, 12, 16, 20, 30],
  },
  "the moment of completion": { answer: shortly, boundaries: 6 },
};
