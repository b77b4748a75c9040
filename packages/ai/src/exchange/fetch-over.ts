import type { Exchange } from "./exchange.ts";

/**
 * The exchange as the `fetch` of an SDK's client, for one request that is not streamed. The headers
 * are those of the connection: what an SDK adds (machine details, keys from the environment) would
 * tell a server more than a person has entered for it. A refusal is thrown, as a broken connection
 * is: the exchange keeps what was said, and the one of Ollama would print it.
 */
export function fetchOver(exchange: Exchange): typeof globalThis.fetch {
  return async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    const body = typeof init?.body === "string" ? init.body : undefined;
    await exchange.send(init?.method ?? "GET", url, body);
    const { status, contentType } = exchange;
    const text = await exchange.text();
    return new Response(text || null, { status, headers: { "content-type": contentType } });
  };
}
