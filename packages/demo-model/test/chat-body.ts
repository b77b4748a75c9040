import type { JsonObject } from "../src/json.ts";

const string = { type: "string" };

interface ToolSpec {
  type: "function";
  function: { name: string; description: string; parameters: JsonObject };
}

function tool(name: string, properties: JsonObject, required: string[]): ToolSpec {
  const parameters = { type: "object", properties, required, additionalProperties: false };
  return { type: "function", function: { name, description: name, parameters } };
}

/** The tools that a session offers, with the parameters that the scripts use. */
export const tools: ToolSpec[] = [
  tool("read_file", { path: string }, ["path"]),
  tool("write_file", { path: string, content: string }, ["path", "content"]),
  tool("edit_file", { path: string, oldText: string, newText: string }, [
    "path",
    "oldText",
    "newText",
  ]),
  tool("list_files", { path: string }, []),
  tool("grep", { pattern: string, path: string }, ["pattern"]),
  tool("shell", { command: string, timeoutMs: { type: "integer", maximum: 300_000 } }, ["command"]),
  tool("ask_user", { question: string, options: { type: "array", items: string } }, ["question"]),
  tool(
    "spawn_agents",
    {
      agents: {
        type: "array",
        items: {
          type: "object",
          properties: { title: string, task: string, tools: { type: "array", items: string } },
          required: ["title", "task"],
        },
      },
    },
    ["agents"],
  ),
];

export function user(content: string): JsonObject {
  return { role: "user", content };
}

export function assistant(content: string): JsonObject {
  return { role: "assistant", content };
}

let lastId = 0;

/** An assistant message with tool calls and, behind it, their results. */
export function called(
  content: string,
  ...calls: { name: string; input?: JsonObject; result: string }[]
): JsonObject[] {
  const withIds = calls.map((call) => ({ ...call, id: `call_${++lastId}` }));
  return [
    {
      role: "assistant",
      content,
      tool_calls: withIds.map(({ id, name, input }) => ({
        id,
        type: "function",
        function: { name, arguments: JSON.stringify(input ?? {}) },
      })),
    },
    ...withIds.map(({ id, result }) => ({ role: "tool", tool_call_id: id, content: result })),
  ];
}
