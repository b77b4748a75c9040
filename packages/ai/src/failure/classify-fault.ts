import type { ExchangeFault } from "../exchange/exchange.ts";
import { jsonOf, numberOf, parseJson, recordOf, stringOf } from "../json-record.ts";
import { type AiFailure, type AiFailureKind, makeFailure } from "./failure.ts";

/** Whom a failure is about; used for its sentence. */
export interface Subject {
  kind: "openai" | "ollama";
  baseUrl: string;
  model?: string;
  /** Never to appear in a sentence or a detail. */
  secrets: readonly string[];
}

const longestDetail = 500;

/** Turns what happened below the API into one of the closed list of failures. */
export function classifyFault(fault: ExchangeFault, subject: Subject): AiFailure {
  if (fault.type === "connection") {
    return classifyConnection(fault, subject);
  }
  const wait = retryAfterMs(fault.headers["retry-after"], fault.headers["retry-after-ms"]);
  const failure = classifyError(parseJson(fault.body) ?? fault.body, subject, fault.status);
  return wait === undefined ? failure : { ...failure, retryAfterMs: wait };
}

/** Turns an error that the API reported, by status or in mid-stream, into a failure. */
export function classifyError(error: unknown, subject: Subject, status?: number): AiFailure {
  const { text, code } = readError(error);
  const particulars = {
    ...(text !== "" && { detail: redact(text, subject.secrets) }),
    ...(status !== undefined && { status }),
  };
  const said = `${code} ${text}`;
  const rule = rules.find(({ says, statuses }) =>
    says ? says.test(said) : status !== undefined && statuses?.includes(status),
  );
  const { kind, sentence, retryable } = rule ?? byStatusClass(status);
  const length = kind === "context_too_long" ? contextLengthIn(error, text) : undefined;
  return makeFailure(kind, {
    ...particulars,
    ...(length !== undefined && { contextLength: length }),
    ...(sentence && { message: sentence(subject) }),
    ...(retryable !== undefined && { retryable }),
  });
}

/** llama.cpp has a field for it; others say it in their sentence. */
function contextLengthIn(error: unknown, text: string): number | undefined {
  const outer = recordOf(error);
  const field = numberOf((recordOf(outer?.["error"]) ?? outer)?.["n_ctx"]);
  const said = /context (?:length|window|size)(?: \(| is | of | was )+(\d{3,8})/i.exec(text)?.[1];
  return field ?? (said === undefined ? undefined : Number(said));
}

interface Rule {
  says?: RegExp;
  statuses?: number[];
  kind: AiFailureKind;
  retryable?: boolean;
  sentence?: (subject: Subject) => string;
}

const model = (subject: Subject) => (subject.model ? `The model ${subject.model}` : "The model");

/** The first that fits. What a server says tells more than its status, so `says` comes first. */
const rules: Rule[] = [
  {
    says: /only supported in v1\/responses|not (?:a chat model|supported in the v1\/chat)|use the responses api/i,
    kind: "not_found",
    sentence: (s) =>
      `${model(s)} is not offered over the chat completions API, only over another one (such as the Responses API) that is not spoken here. Choose a chat model.`,
  },
  {
    says: /image input is not supported|images? (?:input )?(?:is|are) not supported|does not support (?:image|vision)|support image input|not a multimodal model|not support(?:ed)? multimodal|missing data required for image input/i,
    kind: "no_images",
    sentence: (s) => `${model(s)} can't see images. Leave them out or choose a model that can.`,
  },
  {
    says: /context_length_exceeded|maximum context length|context (?:window|length|size)|prompt is too long|too many tokens|input is too long|reduce the length/i,
    kind: "context_too_long",
  },
  {
    says: /insufficient_quota|insufficient (?:credits|balance)|billing_not_active|billing_hard_limit|credit balance is too low/i,
    kind: "rate_limited",
    retryable: false,
    sentence: () =>
      "The account at the provider has no credit or quota left. Add credit there or choose another provider.",
  },
  {
    says: /does not support tools|tool (?:use|calling) is not supported|no endpoints found that support tool/i,
    kind: "refused",
    sentence: (s) => `${model(s)} can't call tools. Choose one that can; the list marks them.`,
  },
  {
    says: /does not support (?:thinking|reasoning)/i,
    kind: "refused",
    sentence: (s) => `${model(s)} has no reasoning to switch. Leave the reasoning effort unset.`,
  },
  {
    says: /content_filter|content management policy|content_policy/i,
    kind: "refused",
  },
  {
    says: /invalid model name|model .{0,200}not found|model_not_found|model .{0,200}does not exist|try pulling it|unknown model/is,
    kind: "not_found",
    sentence: (s) =>
      s.kind === "ollama"
        ? `${model(s)} is not on this Ollama. Pull it with: ollama pull ${s.model ?? "<model>"}`
        : `${model(s)} is not known at ${s.baseUrl}. Choose one from the list of models.`,
  },
  { statuses: [401], kind: "unauthenticated" },
  {
    statuses: [403],
    kind: "unauthenticated",
    sentence: (s) =>
      `The API key may not use ${s.model ?? "this provider"}. Check its permissions, or choose another model.`,
  },
  {
    statuses: [402],
    kind: "rate_limited",
    retryable: false,
    sentence: () => "The provider wants to be paid first. Add credit there or choose another.",
  },
  {
    statuses: [404, 405],
    kind: "not_found",
    sentence: (s) =>
      `Nothing answers at ${s.baseUrl} as ${s.kind === "ollama" ? "Ollama" : "an OpenAI-compatible API"} would. Check the base URL${s.kind === "ollama" ? "" : " (it often ends in /v1)"} and the model.`,
  },
  { statuses: [408], kind: "network" },
  { statuses: [413], kind: "context_too_long" },
  { statuses: [429], kind: "rate_limited" },
  {
    statuses: [301, 302, 303, 307, 308],
    kind: "protocol",
    sentence: (s) =>
      `${s.baseUrl} redirects to another address, which is not followed because the API key would go there too. Enter the final address as base URL.`,
  },
];

function byStatusClass(status: number | undefined): Rule {
  if (status !== undefined && status >= 400 && status < 500) {
    return {
      kind: "protocol",
      sentence: (s) =>
        `${s.baseUrl} did not accept the request (HTTP ${status}). Its answer is in the detail; check model and parameters.`,
    };
  }
  return { kind: "overloaded" };
}

function classifyConnection(
  fault: Extract<ExchangeFault, { type: "connection" }>,
  subject: Subject,
): AiFailure {
  const where = subject.baseUrl;
  const detail = redact(`${fault.code} ${fault.message}`.trim(), subject.secrets);
  if (fault.code === "ERR_INVALID_URL" || fault.code === "ERR_INVALID_PROTOCOL") {
    return makeFailure("network", {
      retryable: false,
      detail,
      message: `The base URL ${where} is not a valid http(s) address. Correct it.`,
    });
  }
  if (fault.code === "ENOTFOUND") {
    return makeFailure("network", {
      retryable: false,
      detail,
      message: `No host has the name in ${where}. Check the base URL and the network.`,
    });
  }
  if (/CERT|SELF_SIGNED|UNABLE_TO_|EPROTO|ERR_TLS|ERR_SSL/.test(fault.code)) {
    return makeFailure("network", {
      retryable: false,
      detail,
      message: `No trusted TLS connection to ${where}. Check http or https in the base URL, or give Node the certificate (NODE_EXTRA_CA_CERTS).`,
    });
  }
  if (fault.code === "ECONNREFUSED") {
    const hint =
      subject.kind === "ollama" ? "Start it (ollama serve)" : "Start the server or correct the URL";
    return makeFailure("network", { detail, message: `Nothing listens at ${where}. ${hint}.` });
  }
  if (fault.code === "ETIMEDOUT") {
    return makeFailure("network", {
      detail,
      message: `${where} was silent for too long. Check whether the model still runs, then retry.`,
    });
  }
  if (fault.answering) {
    return makeFailure("network", {
      // Node's own word for it is "aborted", which nobody did.
      ...(fault.code !== "ECONNRESET" && { detail }),
      message: `The connection to ${where} broke in the middle of the answer. Send again.`,
    });
  }
  return makeFailure("network", {
    detail,
    message: `${where} can't be reached. Check the network and the base URL, then retry.`,
  });
}

/** An error of more characters is no sentence; what follows looks at each of them often. */
const longestRead = 10_000;

/** The shapes in which servers wrap their errors: OpenAI's, Ollama's, FastAPI's, Gemini's list. */
function readError(error: unknown): { text: string; code: string } {
  if (typeof error === "string") {
    return {
      text: error
        .slice(0, longestRead)
        .replace(/<[^>]*>/g, " ")
        .replace(/\s+/g, " ")
        .trim(),
      code: "",
    };
  }
  const outer = recordOf(Array.isArray(error) ? error[0] : error);
  if (!outer) {
    return { text: "", code: "" };
  }
  const inner = recordOf(outer["error"]) ?? outer;
  const text =
    stringOf(inner["message"]) ??
    stringOf(outer["error"]) ??
    stringOf(outer["detail"]) ??
    jsonOf(inner) ??
    "";
  return {
    text: text.slice(0, longestRead),
    code: `${stringOf(inner["code"]) ?? ""} ${stringOf(inner["type"]) ?? ""}`,
  };
}

/** Fit to be shown: without secrets, not long. */
export function redact(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) {
    if (secret.length >= 4) {
      clean = clean.replaceAll(secret, "[redacted]");
    }
  }
  return clean.length > longestDetail ? `${clean.slice(0, longestDetail)}…` : clean;
}

/** `Retry-After` is seconds or a date; some servers add one in milliseconds. */
export function retryAfterMs(
  header: string | string[] | undefined,
  inMs: string | string[] | undefined,
  now: number = Date.now(),
): number | undefined {
  const ms = Number.parseFloat(String(inMs ?? ""));
  if (Number.isFinite(ms) && ms >= 0) {
    return Math.ceil(ms);
  }
  const text = String(header ?? "").trim();
  if (text === "") {
    return undefined;
  }
  const seconds = Number(text);
  if (Number.isFinite(seconds)) {
    return Math.max(0, Math.ceil(seconds * 1000));
  }
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
