import type { CommandHandlers, serverOrders } from "@gadget/api";
import type { Logger } from "pino";
import type { KeptOutputs } from "../outputs/kept-outputs.ts";
import type { BackgroundRegistry } from "../process/background-registry.ts";
import { within } from "./within.ts";

export interface BackgroundRequestsOptions {
  background: BackgroundRegistry;
  outputs: KeptOutputs;
  log: Logger;
}

type BackgroundRequests = Pick<
  CommandHandlers<typeof serverOrders>,
  "listBackground" | "stopBackground"
>;

const stopMs = 10_000;

/** The commands that a session has in the background. */
export function backgroundRequests(options: BackgroundRequestsOptions): BackgroundRequests {
  const { background, outputs, log } = options;
  return {
    listBackground: ({ sessionId }) => ({ commands: background.list(sessionId) }),
    stopBackground: ({ sessionId, commandId, leaves }) =>
      within(stopMs, async () => {
        log.info({ sessionId, commandId }, "Background commands are stopped");
        const stopped =
          commandId === undefined
            ? await background.stopSession(sessionId)
            : await background.stop(sessionId, commandId);
        if (leaves === true) {
          await outputs.removeSession(sessionId);
        }
        return { stopped };
      }),
  };
}
