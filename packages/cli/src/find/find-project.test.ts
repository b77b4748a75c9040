import { Project } from "@gadget/api";
import { describe, expect, it } from "vitest";
import { projectsAround } from "./find-project.ts";

const project = (name: string, directory?: string): Project =>
  Project.parse({
    id: `project-${name}`,
    name,
    droneId: null,
    source: { kind: "empty" },
    ...(directory !== undefined && { directory }),
    environment: [],
    createdAt: "2026-01-01T00:00:00.000Z",
  });
const projects = [
  project("outer", "/srv/code"),
  project("inner", "/srv/code/app"),
  project("neighbour", "/srv/code/app-two"),
  project("nowhere"),
];
const around = async (folder: string) =>
  (await projectsAround(folder, projects)).map(({ name }) => name);

describe("projectsAround", () => {
  it("finds the innermost project that contains the folder", async () => {
    expect(await around("/srv/code/app/src/lib")).toEqual(["inner"]);
    expect(await around("/srv/code/app")).toEqual(["inner"]);
    expect(await around("/srv/code/docs")).toEqual(["outer"]);
  });

  it("does not take a folder whose name only begins alike", async () => {
    expect(await around("/srv/code/app-two")).toEqual(["neighbour"]);
    expect(await around("/srv/codex")).toEqual([]);
  });

  it("finds both where two projects have the same folder", async () => {
    const twins = [project("one", "/srv/x"), project("two", "/srv/x")];
    expect(await projectsAround("/srv/x/y", twins)).toEqual(twins);
  });
});
