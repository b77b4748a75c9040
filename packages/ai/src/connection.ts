import type { Agent } from "node:http";
import type { AiResult } from "./api.ts";
import { classifyFault, redact, type Subject } from "./classify-fault.ts";
import { createAgent, Exchange } from "./exchange.ts";
import { makeFailure } from "./failure.ts";
import { parseJson } from "./json.ts";

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
  readonly #options: ConnectionOptions;
  readonly #agent: Agent;
  readonly #subject: Subject;

  constructor(options: ConnectionOptions) {
    this.baseUrl = options.baseUrl;
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
        ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}),
        ...headers,
      },
    });
  }

  /** One request with a JSON answer, for what is not a chat. */
  async json(
    signal: AbortSignal,
    send: (exchange: Exchange) => Promise<unknown>,
    model?: string,
  ): Promise<AiResult<unknown>> {
    const exchange = this.open(signal);
    const subject = this.subject(model);
    try {
      await send(exchange);
      let body = "";
      for (let text = await exchange.read(); text !== undefined; text = await exchange.read()) {
        body += text;
      }
      if (signal.aborted) {
        return { ok: false, failure: makeFailure("aborted") };
      }
      const value = parseJson(body);
      return value === undefined
        ? {
            ok: false,
            failure: makeFailure("protocol", { detail: redact(body, subject.secrets) }),
          }
        : { ok: true, value };
    } catch (error) {
      if (signal.aborted) {
        return { ok: false, failure: makeFailure("aborted") };
      }
      if (!exchange.fault) {
        throw error;
      }
      return { ok: false, failure: classifyFault(exchange.fault, subject) };
    } finally {
      exchange.close();
    }
  }

  close(): void {
    this.#agent.destroy();
  }
}
