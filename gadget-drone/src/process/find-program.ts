import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";

/** The absolute path of a program, looked for in PATH as a shell does. */
export async function findProgram(name: string, path: string): Promise<string | undefined> {
  for (const folder of path.split(delimiter)) {
    if (!folder.startsWith("/")) {
      continue;
    }
    const file = join(folder, name);
    const usable = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (usable) {
      return file;
    }
  }
  return undefined;
}
