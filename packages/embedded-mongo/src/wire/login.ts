import { createHash, timingSafeEqual } from "node:crypto";
import { Binary } from "bson";
import { CommandError } from "../bson/command-error.ts";
import { docOf } from "../bson/document.ts";
import type { Doc } from "../bson/value.ts";

/** Who connects by the URI that the server gave out: one name, which carries no rights. */
export const loginName = "gadget";

/** Before the secret is known only this is answered: what a driver needs to find out how to log in. */
const greetings = new Set(["hello", "isMaster", "ismaster"]);

/**
 * One connection's proof that it knows the server's secret, by SASL PLAIN: whoever listens on a
 * socket in a folder of this user alone may hear it. Without a secret everybody is let in.
 */
export class Login {
  readonly #secret: string | undefined;
  #isIn: boolean;

  constructor(secret: string | undefined) {
    this.#secret = secret;
    this.#isIn = secret === undefined;
  }

  /** The answer to a command that is about logging in; undefined for any other that may be run. */
  answer(command: string, body: Doc): Doc | undefined {
    if (command === "saslStart" && this.#secret !== undefined) {
      return this.#start(body);
    }
    if (this.#isIn || greetings.has(command)) {
      return undefined;
    }
    throw new CommandError("Unauthorized", `Command ${command} requires authentication`);
  }

  #start(body: Doc): Doc {
    const payload = body.get("payload");
    if (body.get("mechanism") !== "PLAIN" || !(payload instanceof Binary)) {
      throw failed();
    }
    const [, name = "", given = ""] = Buffer.from(payload.value()).toString("utf8").split("\0");
    if (name !== loginName || !isSame(given, this.#secret ?? "")) {
      throw failed();
    }
    this.#isIn = true;
    return docOf({ conversationId: 1, done: true, payload: new Binary(Buffer.alloc(0)) });
  }
}

function failed(): CommandError {
  return new CommandError("AuthenticationFailed", "Authentication failed.");
}

/** Compares hashes, which are equally long, in a time that tells nothing. */
function isSame(one: string, other: string): boolean {
  const hash = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(hash(one), hash(other));
}
