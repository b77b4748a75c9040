import { isTerminal, pathOf, routes, TurnEvent, type TurnId } from "@gadget/api";
import type { Node } from "./cluster.ts";

const patience = 30_000;

export interface Followed {
  /** The next event for which this is so; all are kept for `rest`. */
  until(isSo: (event: TurnEvent) => boolean): Promise<TurnEvent>;
  /** All events since the start, when the stream has ended. */
  rest(): Promise<TurnEvent[]>;
}

/** A turn's event stream from its first event on, as `fetch` reads it. */
export async function followEvents(node: Node, turnId: TurnId): Promise<Followed> {
  const response = await fetch(node.url + pathOf(routes.listEvents.path, { id: turnId }), {
    headers: { authorization: `Bearer ${node.person.token}`, accept: "text/event-stream" },
  });
  const events: TurnEvent[] = [];
  let looked = 0;
  const lines = linesOf(response);
  const next = async (): Promise<TurnEvent | undefined> => {
    for (;;) {
      const { value, done } = await inTime(lines.next());
      if (done === true) {
        return undefined;
      }
      if (!value.startsWith("data: ")) {
        continue;
      }
      const event = TurnEvent.parse(JSON.parse(value.slice(6)));
      events.push(event);
      return event;
    }
  };
  return {
    async until(isSo) {
      for (;;) {
        const event = events[looked] ?? (await next());
        if (event === undefined) {
          throw new Error("the stream ended before that came");
        }
        looked += 1;
        if (isSo(event)) {
          return event;
        }
      }
    },
    async rest() {
      while (!events.some(isTerminal)) {
        if ((await next()) === undefined) {
          throw new Error("the stream has no end");
        }
      }
      return events;
    },
  };
}

async function* linesOf(response: Response): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    const lines = text.split("\n");
    text = lines.pop() ?? "";
    yield* lines;
  }
  return undefined;
}

function inTime<T>(work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("nothing came in time")), patience);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
