import { Interrupts } from "./ask/interrupts.ts";
import { runCli } from "./run-cli.ts";

/** What a shell reports for a writer whose reader has gone, as in `gadget list | head -1`. */
const brokenPipe = 141;

const interrupts = new Interrupts();
process.on("SIGINT", () => interrupts.press());
for (const output of [process.stdout, process.stderr]) {
  output.on("error", () => process.exit(brokenPipe));
}

const code = await runCli(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  // npm changes to the repository's folder; the caller's is what counts.
  folder: process.env["INIT_CWD"] ?? process.cwd(),
  interrupts,
});
// Connections that are kept open for reuse don't hold the process.
process.stdout.write("", () => process.exit(code));
