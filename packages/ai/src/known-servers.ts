interface KnownServer {
  kind: "openai" | "ollama";
  baseUrl: string;
  /** What to assume for models of which the server does not say it. */
  contextLength: number;
  /** Sent with every request, beside the key. */
  headers?: Record<string, string>;
}

/** What servers do not say of themselves. */
export const knownServers: readonly KnownServer[] = [
  {
    kind: "openai",
    baseUrl: "https://api.openai.com/v1",
    contextLength: 128_000,
  },
  {
    kind: "openai",
    baseUrl: "https://api.anthropic.com/v1",
    contextLength: 200_000,
    headers: { "anthropic-version": "2023-06-01" },
  },
  {
    kind: "openai",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta/openai",
    contextLength: 1_000_000,
  },
  {
    kind: "openai",
    baseUrl: "https://openrouter.ai/api/v1",
    contextLength: 128_000,
  },
  {
    kind: "openai",
    baseUrl: "http://127.0.0.1:1234/v1",
    contextLength: 8_192,
  },
  {
    kind: "openai",
    baseUrl: "http://127.0.0.1:8000/v1",
    contextLength: 32_768,
  },
  {
    kind: "ollama",
    baseUrl: "http://127.0.0.1:11434",
    contextLength: 16_384,
  },
];
