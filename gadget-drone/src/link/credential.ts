import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DroneId } from "@gadget/api";
import { z } from "zod";
import { Problem } from "../problem.ts";

/** What the server knows this drone by. */
const Credential = z.object({
  server: z.string(),
  droneId: z.string().transform((id) => DroneId.parse(id)),
  credential: z.string().min(20),
});
export type Credential = z.infer<typeof Credential>;

const fileName = "credential.json";

export async function readCredential(dataDir: string): Promise<Credential | undefined> {
  const path = join(dataDir, fileName);
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (isMissing(error)) {
      return undefined;
    }
    throw new Problem(`The credential ${path} can't be read: check who owns it.`);
  }
  try {
    return Credential.parse(JSON.parse(text));
  } catch {
    throw new Problem(`The credential ${path} is damaged: remove it and enrol the drone again.`);
  }
}

/** Readable by its owner alone, from its first byte on. */
export async function writeCredential(dataDir: string, credential: Credential): Promise<void> {
  const path = join(dataDir, fileName);
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    await writeFile(`${path}.new`, `${JSON.stringify(credential)}\n`, { mode: 0o600 });
    await rename(`${path}.new`, path);
  } catch {
    throw new Problem(`The credential can't be written to ${dataDir}: choose another --data.`);
  }
}

export async function removeCredential(dataDir: string): Promise<void> {
  await rm(join(dataDir, fileName), { force: true });
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
