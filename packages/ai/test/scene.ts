import type { AiEvent, AiProvider, IAiChatOptions } from "../src/index.ts";
import type { Play, Received } from "./model-server.ts";
import { writeSlowly } from "./model-server.ts";
import type { Wire } from "./wires.ts";

export const prompt: IAiChatOptions["messages"] = [{ role: "user", content: "Hello" }];

/** All events of one answer; `onEvent` sees each before the next is asked for. */
export async function collect(
  provider: AiProvider,
  signal: AbortSignal,
  onEvent?: (event: AiEvent) => void,
  options: Partial<IAiChatOptions> = {},
): Promise<AiEvent[]> {
  const events: AiEvent[] = [];
  for await (const event of provider.chat({ model: "m", messages: prompt, ...options, signal })) {
    events.push(event);
    onEvent?.(event);
  }
  return events;
}

export function streamed(wire: Wire, ...pieces: string[]): Play {
  return ({ response }) => {
    response.writeHead(200, { "content-type": wire.contentType });
    response.end(pieces.join(""));
  };
}

/** Sends what is given and then stays silent, with the connection open. */
export function silentAfter(wire: Wire, ...pieces: string[]): Play {
  return async ({ response }) => {
    response.writeHead(200, { "content-type": wire.contentType });
    response.flushHeaders();
    await writeSlowly(response, pieces);
  };
}

export function cutAfter(wire: Wire, ...pieces: string[]): Play {
  return async ({ response }) => {
    response.writeHead(200, { "content-type": wire.contentType });
    response.flushHeaders();
    await writeSlowly(response, pieces);
    response.destroy();
  };
}

export function refused(status: number, body: string, headers: Record<string, string> = {}): Play {
  return ({ response }: Received) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(body);
  };
}

export const silent: Play = () => undefined;

export const textOf = (events: AiEvent[]) =>
  events.flatMap((event) => (event.type === "text:delta" ? [event.text] : [])).join("");

export const typesOf = (events: AiEvent[]) => events.map((event) => event.type);
