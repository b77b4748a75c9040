import type { ServerResponse } from "node:http";

/** One answer's way to its client. Every wait here ends at once when the client is gone. */
export interface Connection {
  isOpen(): boolean;
  sleep(ms: number): Promise<void>;
  /** Resolves when the client has room for more. */
  write(text: string): Promise<void>;
}

// setTimeout takes a longer time for 1 ms.
const longestTimeout = 2 ** 31 - 1;

export function connectionTo(response: ServerResponse): Connection {
  const isOpen = () => !response.destroyed && response.socket?.destroyed !== true;

  const untilClosedOr = (start: (done: () => void) => () => void) =>
    new Promise<void>((resolve) => {
      if (!isOpen()) {
        return resolve();
      }
      const done = () => {
        stop();
        response.off("close", done);
        resolve();
      };
      const stop = start(done);
      response.once("close", done);
    });

  return {
    isOpen,
    sleep: (ms) =>
      untilClosedOr((done) => {
        if (ms < 1) {
          const immediate = setImmediate(done);
          return () => clearImmediate(immediate);
        }
        const timer = setTimeout(done, Math.min(ms, longestTimeout));
        return () => clearTimeout(timer);
      }),
    write: async (text) => {
      if (!isOpen() || response.write(text)) {
        return;
      }
      await untilClosedOr((done) => {
        response.once("drain", done);
        return () => response.off("drain", done);
      });
    },
  };
}
