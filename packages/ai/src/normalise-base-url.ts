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
