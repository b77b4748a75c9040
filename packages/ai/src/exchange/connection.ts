import type { Agent } from "node:http";
import type { AiResult } from "../api.ts";
import { classifyFault, redact, type Subject } from "../failure/classify-fault.ts";
import { type AiFailure, makeFailure } from "../failure/failure.ts";
import { createAgent, Exchange } from "./exchange.ts";
import { fetchOver } from "./fetch-over.ts";

export interface ConnectionOptions {
  kind: "openai" | "ollama";
  baseUrl: string;
  apiKey?: string | undefined;
  headers?: Record<string, string> | undefined;
  connectTimeoutMs?: number | undefined;
  idleTimeoutMs?: number | undefined;
  agentFor?: ((baseUrl: string) => Agent | undefined) | undefined;
}

/** How one provider is reached. Made for one order, shared with no other. */
export class Connection {
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly #options: ConnectionOptions;
  readonly #agent: Agent;
  readonly #subject: Subject;

  constructor(options: ConnectionOptions) {
    this.baseUrl = options.baseUrl;
    this.apiKey = options.apiKey;
    this.#options = options;
    this.#agent = options.agentFor?.(options.baseUrl) ?? createAgent(options.baseUrl);
    const url = URL.canParse(options.baseUrl) ? new URL(options.baseUrl) : undefined;
    const secrets = [
      options.apiKey,
      url?.password && decodeURIComponent(url.password),
      ...Object.values(options.headers ?? {}),
    ];
    this.#subject = {
      kind: options.kind,
      baseUrl: url ? `${url.origin}${url.pathname}`.replace(/\/$/, "") : options.baseUrl,
      secrets: secrets.filter((secret): secret is string => Boolean(secret)),
    };
  }

  subject(model?: string): Subject {
    return model === undefined ? this.#subject : { ...this.#subject, model };
  }

  open(signal: AbortSignal, accept = "application/json"): Exchange {
    const { apiKey, headers, connectTimeoutMs = 15_000, idleTimeoutMs = 600_000 } = this.#options;
    return new Exchange({
      baseUrl: this.baseUrl,
      signal,
      agent: this.#agent,
      connectTimeoutMs,
      idleTimeoutMs,
      headers: {
        accept,
        "user-agent": "gadget-code",
        ...(apiKey && { authorization: `Bearer ${apiKey}` }),
        ...headers,
      },
    });
  }

  /** One request with a JSON answer, for what is not a chat; a POST where there is a body. */
  json(signal: AbortSignal, path: string, body?: object): Promise<AiResult<unknown>> {
    return this.#ask(signal, async (exchange) => {
      await (body === undefined ? exchange.get(path) : exchange.post(path, body));
      return JSON.parse(await exchange.text());
    });
  }

  /** One request by the client of an SDK, which is given the way that every request here goes. */
  bySdk<T>(
    signal: AbortSignal,
    ask: (fetch: typeof globalThis.fetch) => Promise<T>,
  ): Promise<AiResult<T>> {
    return this.#ask(signal, (exchange) => ask(fetchOver(exchange)));
  }

  async #ask<T>(
    signal: AbortSignal,
    ask: (exchange: Exchange) => Promise<T>,
  ): Promise<AiResult<T>> {
    const exchange = this.open(signal);
    try {
      const value = await ask(exchange);
      return signal.aborted ? { ok: false, failure: makeFailure("aborted") } : { ok: true, value };
    } catch (error) {
      return { ok: false, failure: this.#failure(error, exchange, signal) };
    } finally {
      exchange.close();
    }
  }

  /** Bugs are thrown on. */
  #failure(error: unknown, { fault }: Exchange, signal: AbortSignal): AiFailure {
    if (signal.aborted) {
      return makeFailure("aborted");
    }
    if (fault) {
      return classifyFault(fault, this.#subject);
    }
    if (error instanceof SyntaxError) {
      return makeFailure("protocol", { detail: redact(error.message, this.#subject.secrets) });
    }
    throw error;
  }

  close(): void {
    this.#agent.destroy();
  }
}
