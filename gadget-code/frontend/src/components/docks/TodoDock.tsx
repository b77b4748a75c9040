import type { Part } from "@gadget/api";
import { useSession } from "../../session/session-context.ts";
import { runningEntry } from "../../session/session-state.ts";
import { Dock } from "./Dock.tsx";

interface Todo {
  text: string;
  state: string;
}

/** The list is a tool's argument: a model wrote it, so its form is not taken for granted. */
function todosIn(parts: readonly Part[]): Todo[] {
  const part = parts.findLast((each) => each.kind === "tool" && each.name === "todo");
  const input: unknown = part?.kind === "tool" ? part.input : undefined;
  if (typeof input !== "object" || input === null || !("items" in input)) {
    return [];
  }
  if (!Array.isArray(input.items)) {
    return [];
  }
  return input.items.flatMap((item: unknown) => {
    if (typeof item !== "object" || item === null || !("text" in item)) {
      return [];
    }
    const state = "state" in item && typeof item.state === "string" ? item.state : "open";
    return typeof item.text === "string" ? [{ text: item.text, state }] : [];
  });
}

const marks: Record<string, string> = { done: "✓", active: "▸" };

export function TodoDock() {
  const parts = useSession((state) => runningEntry(state)?.transcript.parts);
  const todos = parts === undefined ? [] : todosIn(parts);
  if (todos.length === 0) {
    return null;
  }
  const done = todos.filter(({ state }) => state === "done").length;
  return (
    <Dock title={`To do · ${done} of ${todos.length}`}>
      <ul className="flex flex-col gap-0.5">
        {todos.map(({ text, state }, index) => (
          <li
            // A list that is written anew each time has no other identity.
            key={index}
            className={`flex gap-2 ${state === "done" ? "text-faint line-through" : state === "active" ? "font-medium" : ""}`}
          >
            <span aria-hidden="true" className="w-3 shrink-0 no-underline">
              {marks[state] ?? "○"}
            </span>
            {text}
          </li>
        ))}
      </ul>
    </Dock>
  );
}
