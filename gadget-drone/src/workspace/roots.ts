import { mkdir, realpath } from "node:fs/promises";
import { relative, resolve, sep } from "node:path";
import { RefusalError } from "@gadget/api";
import { hasCode, isInside } from "./safe-path.ts";

/** A folder under which existing folders may be opened. */
export interface Root {
  path: string;
  /** Whether folders with a dot in front, which hold settings and keys, may be opened too. */
  dotFolders: boolean;
}

/** Where this drone may work: what it made itself, and the folders that its owner allowed. */
export class Roots {
  readonly #workspaces: string;
  readonly #roots: readonly Root[];

  /** Both real paths. */
  private constructor(workspaces: string, roots: readonly Root[]) {
    this.#workspaces = workspaces;
    this.#roots = roots;
  }

  static async open(workspaces: string, roots: readonly Root[]): Promise<Roots> {
    await mkdir(workspaces, { recursive: true, mode: 0o700 });
    const real: Root[] = [];
    for (const root of roots) {
      const path = await realpath(root.path).catch(() => undefined);
      if (path !== undefined) {
        real.push({ ...root, path });
      }
    }
    const own = await realpath(workspaces);
    return new Roots(own, [...real, { path: own, dotFolders: true }]);
  }

  get workspaces(): string {
    return this.#workspaces;
  }

  get paths(): string[] {
    return [...new Set(this.#roots.map(({ path }) => path))];
  }

  allows(real: string): boolean {
    return this.#roots.some(({ path, dotFolders }) => {
      if (!isInside(path, real)) {
        return false;
      }
      const names = relative(path, real).split(sep);
      return dotFolders || !names.some((name) => name.startsWith("."));
    });
  }

  /** The real path of an existing folder under one of the roots, or a refusal. */
  async folder(path: string): Promise<string> {
    if (path.includes("\0") || !path.startsWith("/")) {
      throw new RefusalError("invalid", "Give an absolute path of a folder on the drone.");
    }
    const refused = new RefusalError(
      "invalid",
      `"${path}" is not under the folders that this drone may open (${this.paths.join(", ")}). Start the drone with GADGET_ROOTS to allow more.`,
    );
    // Checked before the disk is asked, so that nothing outside can be probed.
    if (!this.allows(resolve(path))) {
      throw refused;
    }
    const real = await realpath(path).catch((error: unknown) => {
      if (hasCode(error, "ENOENT") || hasCode(error, "ENOTDIR")) {
        throw new RefusalError("not_found", `There is no folder "${path}" on the drone.`);
      }
      throw refused;
    });
    if (!this.allows(real)) {
      throw refused;
    }
    return real;
  }
}
