import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { ensureBuilt } from "../build/ensure-built.mjs";
import { ensureInstalled } from "../build/ensure-installed.mjs";
import { commands } from "../build/parts.mjs";
import { Problem } from "../shared/problem.mjs";
import { root } from "../shared/root.mjs";
import { runCommand } from "../shared/run-command.mjs";
import { launch } from "./launch.mjs";
import { withoutSecrets } from "./secrets.mjs";

/**
 * `npm start`: installs, builds, then runs server and local drone. The server parses the
 * environment; the launcher reads only the data folder and whether a local drone is wanted.
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<number>} the exit code
 */
export async function start(args, env) {
  const unknown = args.find((arg) => !["--help", "-h", "--reset-owner"].includes(arg));
  if (unknown !== undefined) {
    throw new Problem(`"${unknown}" is no option of npm start: "npm start -- --help" lists them.`);
  }
  await ensureInstalled(root);
  if (args.includes("--help") || args.includes("-h")) {
    return showHelp();
  }
  await ensureBuilt(root, ["server", "frontend", "drone"]);

  const dataDir = resolve(env.GADGET_DATA_DIR || join(homedir(), ".gadget"));
  const resetOwner = args.includes("--reset-owner");

  const { known, secrets } = withoutSecrets(env);
  const childEnv = {
    // Node 22 and newer keep compiled code there and start faster; older ones ignore it.
    NODE_COMPILE_CACHE: join(root, "node_modules/.cache/compile"),
    GADGET_LOG_LEVEL: "warn",
    ...known,
    GADGET_LAUNCHER: "1",
    GADGET_DATA_DIR: dataDir,
  };
  return launch({
    dataDir,
    server: {
      name: "server",
      file: join(root, commands.server.file),
      args: [],
      firstArgs: resetOwner ? ["--reset-owner"] : [],
      env: childEnv,
      secrets,
    },
    drone:
      env.GADGET_LOCAL_DRONE === "0"
        ? undefined
        : {
            name: "local drone",
            file: join(root, commands.drone.file),
            args: ["--data", join(dataDir, "drone")],
            env: childEnv,
          },
  });
}

async function showHelp() {
  await ensureBuilt(root, ["server"]);
  const { code, output } = await runCommand(process.execPath, [
    join(root, commands.server.file),
    "--help",
  ]);
  process.stdout.write(output);
  return code;
}
