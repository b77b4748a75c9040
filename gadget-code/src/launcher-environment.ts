import { z } from "zod";

const Secrets = z.record(z.string(), z.string());

/**
 * The environment, with what the launcher gives on standard input: the environment that a process
 * was started with can be read by every command of the same user for as long as it runs.
 */
export async function launcherEnvironment(): Promise<NodeJS.ProcessEnv> {
  if (process.env["GADGET_LAUNCHER"] !== "1" || process.send === undefined) {
    return process.env;
  }
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) {
    chunks.push(Buffer.from(chunk));
  }
  const text = Buffer.concat(chunks).toString();
  return text === "" ? process.env : { ...process.env, ...Secrets.parse(JSON.parse(text)) };
}
