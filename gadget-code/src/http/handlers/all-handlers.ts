import type { HttpContext } from "../http-context.ts";
import type { AllHandlers } from "../router.ts";
import { accountHandlers } from "./accounts.ts";
import { cloneHandlers } from "./clones.ts";
import { commandHandlers } from "./commands.ts";
import { droneCommandHandlers } from "./drone-commands.ts";
import { droneHandlers } from "./drones.ts";
import { exportHandlers } from "./exports.ts";
import { memberHandlers } from "./members.ts";
import { projectHandlers } from "./projects.ts";
import { providerHandlers } from "./providers.ts";
import { queueHandlers } from "./queue.ts";
import { searchHandlers } from "./search.ts";
import { sessionHandlers } from "./sessions.ts";
import { tokenHandlers } from "./tokens.ts";
import { turnControlHandlers } from "./turn-controls.ts";
import { turnFileHandlers } from "./turn-files.ts";
import { turnHandlers } from "./turns.ts";
import { workspaceHandlers } from "./workspaces.ts";

/** A handler for every route of the table: one that is missing does not compile. */
export function allHandlers(context: HttpContext): AllHandlers {
  return {
    ...accountHandlers(context),
    ...tokenHandlers(context),
    ...memberHandlers(context),
    ...providerHandlers(context),
    ...droneHandlers(context),
    ...droneCommandHandlers(context),
    ...projectHandlers(context),
    ...cloneHandlers(context),
    ...sessionHandlers(context),
    ...queueHandlers(context),
    ...workspaceHandlers(context),
    ...commandHandlers(context),
    ...exportHandlers(context),
    ...searchHandlers(context),
    ...turnHandlers(context),
    ...turnControlHandlers(context),
    ...turnFileHandlers(context),
  };
}
