import type { ProviderKind } from "@gadget/api";

export interface ProviderPreset {
  name: string;
  kind: ProviderKind;
  baseUrl: string;
  needsKey: boolean;
}

/** Where the usual model APIs are; everything OpenAI-compatible works by its base URL. */
export const providerPresets: readonly ProviderPreset[] = [
  { name: "OpenAI", kind: "openai", baseUrl: "https://api.openai.com/v1", needsKey: true },
  { name: "Anthropic", kind: "openai", baseUrl: "https://api.anthropic.com/v1", needsKey: true },
  {
    name: "Gemini",
    kind: "openai",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta/openai",
    needsKey: true,
  },
  { name: "OpenRouter", kind: "openai", baseUrl: "https://openrouter.ai/api/v1", needsKey: true },
  { name: "Ollama", kind: "ollama", baseUrl: "http://127.0.0.1:11434", needsKey: false },
  { name: "LM Studio", kind: "openai", baseUrl: "http://127.0.0.1:1234/v1", needsKey: false },
  { name: "vLLM", kind: "openai", baseUrl: "http://127.0.0.1:8000/v1", needsKey: false },
  { name: "Other", kind: "openai", baseUrl: "", needsKey: true },
];
