import type { ProcessClock, WorldClock } from "./world-clock.ts";

type Listener = (...args: unknown[]) => void;

export interface WireHooks {
  /** How long the next message takes. */
  latency(): number;
  /** Whether this command arrives twice. */
  twice(event: string): boolean;
  /** A command left one end; `answered` is called when its answer has arrived. */
  seen(event: string, args: unknown[]): ((answer: unknown[]) => void) | undefined;
}

/**
 * One end of a connection, with what `serve`, `ask` and GadgetDrone use of a socket. As on TCP,
 * each direction keeps its order, and a cut loses all that is on its way; messages of two
 * connections overtake each other freely.
 */
export class WireEnd {
  connected = true;
  active = true;
  peer: WireEnd | undefined;
  readonly process: ProcessClock;
  readonly #world: WorldClock;
  readonly #hooks: WireHooks;
  readonly #any = new Set<Listener>();
  readonly #on = new Map<string, Listener[]>();
  #clearAt = 0;

  constructor(world: WorldClock, process: ProcessClock, hooks: WireHooks) {
    this.#world = world;
    this.process = process;
    this.#hooks = hooks;
  }

  onAny(listener: Listener): void {
    this.#any.add(listener);
  }

  offAny(listener: Listener): void {
    this.#any.delete(listener);
  }

  on(event: string, listener: Listener): void {
    this.#on.set(event, [...(this.#on.get(event) ?? []), listener]);
  }

  tell(event: string, ...args: unknown[]): void {
    this.process.run(() => {
      for (const listener of this.#on.get(event) ?? []) {
        listener(...args);
      }
    });
  }

  timeout(ms: number) {
    return {
      emit: (event: string, ...args: unknown[]) => {
        const ack = args.at(-1);
        if (typeof ack !== "function") {
          throw new Error(`${event} has no acknowledgement`);
        }
        const values = args.slice(0, -1);
        let isOver = false;
        const over = (...answer: unknown[]) => {
          if (isOver) {
            return;
          }
          isOver = true;
          cancel();
          ack(...answer);
        };
        const cancel = this.process.after(ms, () => over(new Error("silence")));
        const answered = this.#hooks.seen(event, values);
        const peer = this.peer;
        if (peer === undefined) {
          return;
        }
        const send = () => {
          this.#carry(peer, () => {
            const reply = (...answer: unknown[]) => {
              peer.#carry(this, () => {
                answered?.(answer);
                over(null, ...structuredClone(answer));
              });
            };
            for (const listener of peer.#any) {
              listener(event, ...structuredClone(values), reply);
            }
          });
        };
        send();
        if (this.#hooks.twice(event)) {
          send();
        }
      },
    };
  }

  /** Nothing of this direction arrives for a while; then all of it does, in order. */
  stall(ms: number): void {
    this.#clearAt = Math.max(this.#clearAt, this.#world.now() + ms);
  }

  /** Both ends notice at once. */
  disconnect(): void {
    const ends = [this, this.peer];
    for (const end of ends) {
      if (end?.connected !== true) {
        continue;
      }
      end.connected = false;
      end.tell("disconnect", "cut");
    }
  }

  #carry(to: WireEnd | undefined, arrive: () => void): void {
    if (to === undefined || !this.connected) {
      return;
    }
    this.#clearAt = Math.max(this.#clearAt, this.#world.now() + this.#hooks.latency());
    this.#world.after(this.#clearAt - this.#world.now(), () => {
      to.process.run(() => {
        // What was sent over an earlier connection is gone with it.
        if (to.connected && this.connected && to.peer === this && this.peer === to) {
          arrive();
        }
      });
    });
  }
}
