import { settingsHelp } from "@gadget/api/settings";
import { Command } from "commander";
import { type CommandHost, examples } from "./command-host.ts";
import { addAnswer } from "./commands/answer.ts";
import { addApprove } from "./commands/approve.ts";
import { addCancel } from "./commands/cancel.ts";
import { addDrones } from "./commands/drones.ts";
import { addFinish } from "./commands/finish.ts";
import { addList } from "./commands/list.ts";
import { addLogin } from "./commands/login.ts";
import { addProjects } from "./commands/projects.ts";
import { addRun } from "./commands/run.ts";
import { addShow } from "./commands/show.ts";
import { addStatus } from "./commands/status.ts";
import { addSteer } from "./commands/steer.ts";
import { addTail } from "./commands/tail.ts";

const version = process.env["GADGET_VERSION"] ?? "0.0.0";

const commands = [
  addLogin,
  addDrones,
  addProjects,
  addList,
  addStatus,
  addShow,
  addTail,
  addRun,
  addCancel,
  addFinish,
  addSteer,
  addAnswer,
  addApprove,
];

const after = `
A turn is named by its id or the beginning of it.

${settingsHelp("cli")}
Exit codes: 0 ok · 1 error · 2 usage · 3 not found · 4 conflict · 5 waits for a person
            6 interrupted · 130 cancelled
${examples("gadget login", 'gadget run "Explore this project"', "gadget cancel")}`;

/** The command line: what there is, and its help. */
export function createProgram(host: CommandHost): Command {
  const { stdout, stderr } = host.terminal;
  const program = new Command("gadget")
    .description("Gadget Code from the command line: start turns, follow them, cancel them.")
    .version(version)
    .option("--server <url>", "the server (default: the one of the last login)")
    .option("--token <token>", "an API token instead of the stored one")
    .option("--json", "print the server's own objects, one a line")
    .configureHelp({
      showGlobalOptions: true,
      subcommandTerm: (command) => `${command.name()} ${command.usage()}`.trimEnd(),
    })
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void stderr.write(text),
    })
    .showHelpAfterError('"--help" says more.')
    .addHelpText("after", after)
    .exitOverride();
  for (const add of commands) {
    add(program, host);
  }
  return program;
}
