import { describe, expect, it } from "vitest";
import { fitArguments } from "./fit-arguments.ts";
import { agents, command, options, path, prompt, timeoutMs } from "./wishes.ts";

const string = { type: "string" };

describe("fitArguments", () => {
  it("keeps the usual names", () => {
    const schema = { properties: { path: string }, required: ["path"] };
    expect(fitArguments(schema, [path("a.md")])).toEqual({ path: "a.md" });
  });

  it("finds a renamed parameter", () => {
    const schema = { properties: { encoding: string, filePath: string } };
    expect(fitArguments(schema, [path("a.md")])).toEqual({ filePath: "a.md" });
  });

  it("does not mistake a parameter of another type for it", () => {
    const schema = { properties: { fileCount: { type: "integer" }, file: string } };
    expect(fitArguments(schema, [path("a.md")])).toEqual({ file: "a.md" });
  });

  it("leaves out what the tool does not take", () => {
    const schema = { properties: { command: string }, required: ["command"] };
    expect(fitArguments(schema, [command("ls"), timeoutMs(5)])).toEqual({ command: "ls" });
  });

  it("stays within the limits of a number", () => {
    const schema = { properties: { timeoutMs: { type: "integer", minimum: 10, maximum: 20 } } };
    expect(fitArguments(schema, [timeoutMs(5)])).toEqual({ timeoutMs: 10 });
    expect(fitArguments(schema, [timeoutMs(50)])).toEqual({ timeoutMs: 20 });
  });

  it("fills what is required and unknown to it", () => {
    const schema = {
      properties: {
        command: string,
        description: string,
        background: { type: "boolean" },
        mode: { enum: ["one", "two"] },
        limit: { type: ["integer", "null"] },
        folder: { anyOf: [string, { type: "null" }] },
      },
      required: ["command", "description", "background", "mode", "limit", "folder"],
    };
    expect(fitArguments(schema, [command("ls")])).toEqual({
      command: "ls",
      description: "demo",
      background: false,
      mode: "one",
      limit: null,
      folder: null,
    });
  });

  it("shapes options as texts or as objects, as the tool has them", () => {
    const texts = { properties: { options: { type: "array", items: string } } };
    const item = { type: "object", properties: { label: string }, required: ["label"] };
    const objects = { properties: { choices: { type: "array", items: item } } };
    expect(fitArguments(texts, [options(["A"])])).toEqual({ options: ["A"] });
    expect(fitArguments(objects, [options(["A"])])).toEqual({ choices: [{ label: "A" }] });
  });

  it("shapes agents as objects or as texts, as the tool has them", () => {
    const wishes = [agents([{ fields: [prompt("go")] }])];
    const item = { type: "object", properties: { task: string, name: string }, required: ["name"] };
    const objects = { properties: { agents: { type: "array", items: item } } };
    const texts = { properties: { tasks: { type: "array", items: string } } };
    expect(fitArguments(objects, wishes)).toEqual({ agents: [{ task: "go", name: "demo" }] });
    expect(fitArguments(texts, wishes)).toEqual({ tasks: ["go"] });
  });

  it("uses the usual names when there is no schema", () => {
    expect(fitArguments({}, [path("a.md")])).toEqual({ path: "a.md" });
  });
});
