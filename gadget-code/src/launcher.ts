import type { Logger } from "pino";
import type { App } from "./app.ts";
import { createEnrollment } from "./drones/enroll.ts";
import type { StoredUser } from "./models/user.ts";

interface Ready {
  url: string;
  setupUrl: string | undefined;
  localUrl: string;
}

/** The launcher of `npm start`, over IPC: its messages are described in scripts/launcher. */
export class Launcher {
  readonly #app: App;
  readonly #log: Logger;

  constructor(app: App, log: Logger) {
    this.#app = app;
    this.#log = log;
    process.on("message", (message) => {
      if (typeOf(message) === "need-enrollment") {
        void this.#enroll();
      }
    });
  }

  get present(): boolean {
    return process.send !== undefined;
  }

  /** `localUrl`: where drones and the CLI of this machine reach it. */
  ready({ url, setupUrl, localUrl }: Ready): void {
    if (process.send) {
      process.send({ type: "ready", url, localUrl, ...(setupUrl && { setupUrl }) });
    } else {
      process.stdout.write(`Gadget Code is ready: ${url}\n`);
      if (setupUrl !== undefined) {
        process.stdout.write(`Set it up: ${setupUrl}\n`);
      }
    }
  }

  /** The launcher asks to stop, or has died. */
  onStop(stop: () => void): void {
    process.on("message", (message) => {
      if (typeOf(message) === "stop") {
        stop();
      }
    });
    if (process.send) {
      process.on("disconnect", stop);
    }
  }

  /** The local drone belongs to the owner, so it waits until there is one. */
  async #enroll(): Promise<void> {
    const { context } = this.#app;
    const send = async (): Promise<void> => {
      const owner = await context.models.users.findOne({ role: "owner" }).lean<StoredUser>();
      if (owner === null) {
        return;
      }
      const { code } = await createEnrollment(context.models, owner._id, context.now(), true);
      process.send?.({ type: "enrollment", code, server: context.url() });
    };
    await this.#app.whenOwned(() => {
      send().catch((error: unknown) => {
        this.#log.error({ err: error }, "the local drone could not be enrolled");
      });
    });
  }
}

function typeOf(message: unknown): unknown {
  return typeof message === "object" && message !== null ? Reflect.get(message, "type") : undefined;
}
