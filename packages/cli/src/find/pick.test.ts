import { describe, expect, it } from "vitest";
import { Problem } from "../problem.ts";
import { pick } from "./pick.ts";

const items = [
  { id: "k3v9aaaa", name: "Website" },
  { id: "k3v9bbbb", name: "Web" },
  { id: "zzzz1111", name: "k3" },
];
const find = (text: string) =>
  pick(items, text, {
    noun: "project",
    id: ({ id }) => id,
    name: ({ name }) => name,
    describe: ({ id, name }) => `${id} ${name}`,
  }).id;

function problemOf(text: string): Problem {
  try {
    find(text);
  } catch (error) {
    if (error instanceof Problem) {
      return error;
    }
  }
  throw new Error("It was found.");
}

describe("pick", () => {
  it("takes an id, a name in any case, and the beginning of either", () => {
    expect(find("k3v9aaaa")).toBe("k3v9aaaa");
    expect(find("k3v9b")).toBe("k3v9bbbb");
    expect(find("WEBSITE")).toBe("k3v9aaaa");
    expect(find("webs")).toBe("k3v9aaaa");
  });

  it("prefers the whole name to the beginning of another one", () => {
    expect(find("web")).toBe("k3v9bbbb");
    expect(find("k3")).toBe("zzzz1111");
  });

  it("lists the candidates of what is ambiguous, with the exit code for usage", () => {
    const { message, exitCode } = problemOf("k3v9");
    expect(exitCode).toBe(2);
    expect(message.split("\n")).toEqual([
      '"k3v9" can mean more than one project. Write more of it:',
      "  k3v9aaaa Website",
      "  k3v9bbbb Web",
    ]);
  });

  it("says that there is none, with the exit code for not found", () => {
    expect(problemOf("nothing").exitCode).toBe(3);
    expect(problemOf("").exitCode).toBe(3);
  });
});
