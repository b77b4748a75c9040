import { realpath } from "node:fs/promises";
import { hostname } from "node:os";
import { sep } from "node:path";
import type { Drone, Project } from "@gadget/api";
import type { CommandContext } from "../command-context.ts";
import { exitCodes } from "../exit-code.ts";
import { plainText } from "../print/plain-text.ts";
import { shownId } from "../print/turn-line.ts";
import { Problem } from "../problem.ts";
import { everyItem } from "./every-item.ts";
import { pick } from "./pick.ts";

export function listProjects({ client, signal }: CommandContext): Promise<Project[]> {
  return everyItem((cursor) =>
    client.request("listProjects", { query: { limit: 200, ...cursor }, signal }),
  );
}

/** The project that is named, or the one that contains the caller's folder. */
export async function findProject(
  context: CommandContext,
  named: string | undefined,
): Promise<Project> {
  const projects = await listProjects(context);
  if (named !== undefined) {
    return pick(projects, named, {
      noun: "project",
      id: ({ id }) => id,
      name: ({ name }) => name,
      describe,
    });
  }
  const { folder } = context.terminal;
  const nearest = await projectsAround(folder, projects);
  const [first] = nearest;
  if (first !== undefined && nearest.length === 1) {
    return first;
  }
  if (first === undefined) {
    throw nowhere(folder, projects);
  }
  const here = await onThisMachine(context, nearest);
  const [only] = here;
  if (only !== undefined && here.length === 1) {
    return only;
  }
  const lines = [`Several projects contain ${folder}. Choose one with --project:`];
  throw new Problem(
    [...lines, ...nearest.map(describe)].join("\n  "),
    exitCodes.usage,
    "ambiguous",
  );
}

/** Those whose folder contains the given one most closely. */
export async function projectsAround(folder: string, projects: Project[]): Promise<Project[]> {
  const real = await realpath(folder).catch(() => folder);
  let nearest: Project[] = [];
  let longest = 0;
  for (const project of projects) {
    const { directory } = project;
    if (directory === undefined) {
      continue;
    }
    const resolved = await realpath(directory).catch(() => directory);
    if (!contains(directory, folder) && !contains(resolved, real)) {
      continue;
    }
    if (resolved.length > longest) {
      nearest = [];
    }
    if (resolved.length >= longest) {
      nearest.push(project);
    }
    longest = Math.max(longest, resolved.length);
  }
  return nearest;
}

function contains(directory: string, folder: string): boolean {
  const base = directory.endsWith(sep) ? directory : directory + sep;
  return folder === directory || folder.startsWith(base);
}

/** A folder of the same name may be on another machine's drone. */
async function onThisMachine(context: CommandContext, projects: Project[]): Promise<Project[]> {
  const { client, signal } = context;
  const drones = await everyItem<Drone>((cursor) =>
    client.request("listDrones", { query: { limit: 200, ...cursor }, signal }),
  );
  const local = new Set(drones.filter(({ host }) => host === hostname()).map(({ id }) => id));
  return projects.filter(({ droneId }) => droneId !== null && local.has(droneId));
}

function nowhere(folder: string, projects: Project[]): Problem {
  const choice =
    projects.length === 0
      ? "There is no project yet: make one on the page."
      : ["Choose one with --project:", ...projects.map(describe)].join("\n  ");
  return new Problem(`No project contains ${folder}. ${choice}`, exitCodes.usage, "no_project");
}

function describe({ id, name, directory }: Project): string {
  return plainText(`${id.slice(0, shownId)}  ${name}  ${directory ?? ""}`).trimEnd();
}
