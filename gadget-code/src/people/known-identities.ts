import type { Identity } from "./identity.ts";
import { unlessSilent } from "./unless-silent.ts";

/** For this long a credential that was good is taken for good while the database says nothing. */
const knownMs = 60_000;
/** A request of somebody who is known waits no longer for the database. */
const waitMs = 80;
const mostKnown = 1_000;

/**
 * Who asked lately, by their credential. A database that answers nothing can't be asked whether a
 * credential is good; a cancel is taken from whoever was known a minute ago (A14).
 */
export class KnownIdentities {
  readonly #known = new Map<string, { identity: Identity; at: number }>();

  /** `asked`: what the database says, when it does. Somebody unknown is told when it does not. */
  async orKnown(
    credential: string,
    asked: Promise<Identity | undefined>,
  ): Promise<Identity | undefined> {
    const known = this.#known.get(credential);
    if (known === undefined || performance.now() - known.at > knownMs) {
      return unlessSilent(asked);
    }
    let timer: NodeJS.Timeout | undefined;
    const silent = new Promise<Identity>((resolve) => {
      timer = setTimeout(() => resolve(known.identity), waitMs);
    });
    return Promise.race([asked, silent]).finally(() => clearTimeout(timer));
  }

  /** What the database said of a credential. */
  note(credential: string, identity: Identity | undefined): void {
    this.#known.delete(credential);
    if (identity === undefined) {
      return;
    }
    this.#known.set(credential, { identity, at: performance.now() });
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= mostKnown) {
        break;
      }
      this.#known.delete(oldest);
    }
  }
}
