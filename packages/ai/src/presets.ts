export interface AiPreset {
  id: string;
  name: string;
  kind: "openai" | "ollama";
  baseUrl: string;
  needsKey: boolean;
  /** What to assume for models of which the server does not say it. */
  contextLength: number;
  /** Sent with every request, beside the key. */
  headers?: Record<string, string>;
}

/** Servers whose address people should not have to look up. */
export const presets: readonly AiPreset[] = [
  {
    id: "openai",
    name: "OpenAI",
    kind: "openai",
    baseUrl: "https://api.openai.com/v1",
    needsKey: true,
    contextLength: 128_000,
  },
  {
    id: "anthropic",
    name: "Anthropic",
    kind: "openai",
    baseUrl: "https://api.anthropic.com/v1",
    needsKey: true,
    contextLength: 200_000,
    headers: { "anthropic-version": "2023-06-01" },
  },
  {
    id: "gemini",
    name: "Google Gemini",
    kind: "openai",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta/openai",
    needsKey: true,
    contextLength: 1_000_000,
  },
  {
    id: "openrouter",
    name: "OpenRouter",
    kind: "openai",
    baseUrl: "https://openrouter.ai/api/v1",
    needsKey: true,
    contextLength: 128_000,
  },
  {
    id: "lmstudio",
    name: "LM Studio",
    kind: "openai",
    baseUrl: "http://127.0.0.1:1234/v1",
    needsKey: false,
    contextLength: 8_192,
  },
  {
    id: "vllm",
    name: "vLLM",
    kind: "openai",
    baseUrl: "http://127.0.0.1:8000/v1",
    needsKey: false,
    contextLength: 32_768,
  },
  {
    id: "ollama",
    name: "Ollama",
    kind: "ollama",
    baseUrl: "http://127.0.0.1:11434",
    needsKey: false,
    contextLength: 16_384,
  },
];

const defaultBaseUrls = {
  openai: "https://api.openai.com/v1",
  ollama: "http://127.0.0.1:11434",
};

/**
 * The address as requests need it: with a scheme; for OpenAI-compatible servers with the `/v1`
 * that is often forgotten; for Ollama without it, and in the loose forms that OLLAMA_HOST allows.
 */
export function normaliseBaseUrl(kind: "openai" | "ollama", given: string | undefined): string {
  const text = given?.trim() || defaultBaseUrls[kind];
  const full = /^[a-z]+:\/\//i.test(text) ? text : `http://${text.replace(/^:/, "127.0.0.1:")}`;
  if (!URL.canParse(full)) {
    return text;
  }
  const url = new URL(full);
  if (url.hostname === "0.0.0.0") {
    url.hostname = "127.0.0.1";
  }
  if (kind === "ollama") {
    if (!text.includes("://") && url.port === "") {
      url.port = "11434";
    }
    url.pathname = url.pathname.replace(/\/(v1|api)?\/?$/, "");
  } else if (url.pathname === "/") {
    url.pathname = "/v1";
  }
  return url.href.replace(/\/+$/, "");
}
