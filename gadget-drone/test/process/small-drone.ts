import { createInterface } from "node:readline";
import { runCommand } from "../../src/process/run-command.ts";
import { supervisorCapability } from "../../src/process/supervisor-capability.ts";

/**
 * A process that runs commands as a drone does, to be killed and stopped by the tests.
 * Requests are lines of JSON on standard input, results lines of JSON on standard output.
 */
interface Request {
  id: string;
  command?: string;
  /** What stands before it. */
  shell?: [string, ...string[]];
  cwd?: string;
  silenceMs?: number;
  abortAfterMs?: number;
  abort?: true;
}

await supervisorCapability(process.argv.includes("best-effort") ? "best-effort" : "auto");
const controllers = new Map<string, AbortController>();
const say = (message: object) => process.stdout.write(`${JSON.stringify(message)}\n`);

async function serve(request: Request): Promise<void> {
  if (request.abort) {
    controllers.get(request.id)?.abort();
    return;
  }
  const controller = new AbortController();
  controllers.set(request.id, controller);
  const running = runCommand({
    argv: [...(request.shell ?? ["/bin/sh", "-c"]), request.command ?? "true"] as const,
    cwd: request.cwd ?? "/",
    env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin" },
    signal: controller.signal,
    ...(request.silenceMs !== undefined && { silenceMs: request.silenceMs }),
  });
  if (request.abortAfterMs !== undefined) {
    setTimeout(() => controller.abort(), request.abortAfterMs);
  }
  say({ id: request.id, result: await running });
}

createInterface({ input: process.stdin }).on("line", (line) => void serve(JSON.parse(line)));
// The first command finds out how this machine supervises; the tests begin when that is known.
void serve({ id: "ready" });
