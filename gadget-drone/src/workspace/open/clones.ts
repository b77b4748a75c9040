import { type ProjectClone, RefusalError } from "@gadget/api";
import { ProgressLine } from "../git/progress-line.ts";
import type { Roots } from "../roots.ts";
import { lookForWorkspace, openWorkspace, type WorkspaceRequest } from "./open-workspace.ts";

interface Clone {
  controller: AbortController;
  line: ProgressLine;
  /** Resolves when nothing of it runs any more; never rejects. */
  ended: Promise<void>;
}

const mostAtOnce = 8;
const mostKept = 1_000;

/** Clones that belong to no turn: a project's, from the moment it is made. */
export class Clones {
  readonly #roots: Roots;
  readonly #running = new Map<string, Clone>();
  /** Why the latest clone into a folder failed. */
  readonly #problems = new Map<string, string>();

  constructor(roots: Roots) {
    this.#roots = roots;
  }

  /** One that is there or under way stays as it is. */
  async start(request: WorkspaceRequest): Promise<ProjectClone> {
    const name = nameOf(request);
    const state = await this.state(request);
    if (state.state === "cloned" || state.state === "cloning") {
      return state;
    }
    if (this.#running.size >= mostAtOnce) {
      throw new RefusalError(
        "unavailable",
        `${mostAtOnce} clones run on this drone already. Try again when one of them has ended.`,
      );
    }
    this.#problems.delete(name);
    const controller = new AbortController();
    const line = new ProgressLine();
    const ended = this.#clone(request, name, controller.signal, line);
    this.#running.set(name, { controller, line, ended });
    return { state: "cloning" };
  }

  async state(request: WorkspaceRequest): Promise<ProjectClone> {
    const name = nameOf(request);
    const { isMade, isBeingMade } = await lookForWorkspace(name, this.#roots);
    const running = this.#running.get(name);
    if (running !== undefined || isBeingMade) {
      const progress = running?.line.last ?? "";
      return { state: "cloning", ...(progress !== "" && { progress }) };
    }
    if (isMade) {
      return { state: "cloned" };
    }
    const problem = this.#problems.get(name);
    return problem === undefined ? { state: "missing" } : { state: "failed", problem };
  }

  /** Resolves when nothing of the clone is left. */
  async cancel(request: WorkspaceRequest): Promise<ProjectClone> {
    await this.#stop(nameOf(request));
    return this.state(request);
  }

  async stopAll(): Promise<void> {
    await Promise.all([...this.#running.keys()].map((name) => this.#stop(name)));
  }

  async #stop(name: string): Promise<void> {
    const clone = this.#running.get(name);
    clone?.controller.abort();
    await clone?.ended;
  }

  async #clone(
    request: WorkspaceRequest,
    name: string,
    signal: AbortSignal,
    line: ProgressLine,
  ): Promise<void> {
    const onProgress = (text: string) => line.add(text);
    try {
      await openWorkspace(request, { roots: this.#roots, signal, make: true, onProgress });
    } catch (error) {
      if (!signal.aborted) {
        this.#failed(name, error);
      }
    } finally {
      this.#running.delete(name);
    }
  }

  #failed(name: string, error: unknown): void {
    const [oldest] = this.#problems.keys();
    if (oldest !== undefined && this.#problems.size >= mostKept) {
      this.#problems.delete(oldest);
    }
    const why = error instanceof RefusalError ? error.message : "The drone could not clone it.";
    this.#problems.set(name, why);
  }
}

function nameOf({ source, directory }: WorkspaceRequest): string {
  if (source.kind === "git" && directory !== undefined) {
    return directory;
  }
  throw new RefusalError("invalid", "Only a project with a git address is cloned.");
}
