import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { answerDeltas } from "./answer-deltas.ts";
import { type ApiError, apiErrorBody, badRequest } from "./api-error.ts";
import { readChatRequest } from "./chat-request.ts";
import { checkHistory } from "./check-history.ts";
import { nextStep } from "./next-step.ts";
import { readBody } from "./read-body.ts";
import { sendAnswer } from "./send-answer.ts";

export interface ServeOptions {
  allows(authorization: string | undefined): boolean;
  tokensPerSecond: number;
}

const model = "demo";
const speedHeader = "x-demo-tokens-per-second";
const haste = 10;

export async function serveRequest(
  request: IncomingMessage,
  response: ServerResponse,
  options: ServeOptions,
): Promise<void> {
  // A client may leave at any moment; that is no error of the server.
  request.on("error", () => {});
  response.on("error", () => {});
  try {
    const error = await route(request, response, options);
    if (error) {
      sendError(response, error);
    }
  } catch (error) {
    // A bug in a script must not take the process down that plays it.
    if (response.headersSent) {
      response.destroy();
    } else {
      sendError(response, internalError(error));
    }
  }
}

async function route(
  request: IncomingMessage,
  response: ServerResponse,
  options: ServeOptions,
): Promise<ApiError | undefined> {
  const [pathname = "/"] = (request.url ?? "/").split("?");
  if (!options.allows(request.headers.authorization)) {
    return unauthorized(request);
  }
  if (request.method === "POST" && pathname === "/v1/chat/completions") {
    return complete(request, response, options.tokensPerSecond);
  }
  if (request.method === "GET" && pathname === "/v1/models") {
    sendJson(response, { object: "list", data: [modelObject] });
    return undefined;
  }
  if (request.method === "GET" && pathname === `/v1/models/${model}`) {
    sendJson(response, modelObject);
    return undefined;
  }
  const message = `Unknown request URL: ${request.method} ${pathname}.`;
  return { status: 404, type: "invalid_request_error", code: "unknown_url", message };
}

const modelObject = { id: model, object: "model", created: 0, owned_by: "gadget-demo" };

async function complete(
  request: IncomingMessage,
  response: ServerResponse,
  defaultSpeed: number,
): Promise<ApiError | undefined> {
  const body = await readBody(request);
  if (body === "gone") {
    return undefined;
  }
  if (body === "too large") {
    return { ...badRequest("The request is larger than 64 MB."), status: 413 };
  }
  const read = readChatRequest(body.text);
  if (!read.ok) {
    return read.error;
  }
  if (read.request.model !== model) {
    const message = `The model \`${read.request.model}\` does not exist; the only one here is \`${model}\`.`;
    return { status: 404, type: "invalid_request_error", code: "model_not_found", message };
  }
  const problem = checkHistory(read.request.messages);
  if (problem) {
    return problem;
  }

  const { prompt, step } = nextStep(read.request);
  if (step.kind === "failure") {
    return step.error;
  }
  const asked = Number(request.headers[speedHeader]);
  const speed = asked > 0 ? asked : defaultSpeed * (/\bfast\b/i.test(prompt) ? haste : 1);
  const newCallId = () => `call_${randomUUID().replaceAll("-", "")}`;
  await sendAnswer(response, answerDeltas(step, newCallId), {
    ...read.request,
    tokensPerSecond: speed,
    breaksOff: step.breaksOff ?? false,
  });
  return undefined;
}

function internalError(error: unknown): ApiError {
  const message = `The demo model failed: ${error instanceof Error ? error.message : String(error)}`;
  return { status: 500, type: "server_error", code: null, message };
}

function unauthorized({ headers }: IncomingMessage): ApiError {
  const message = headers.authorization
    ? "Incorrect API key provided. The demo model prints or returns its key when it starts."
    : "You didn't provide an API key. Send it in an Authorization header: Authorization: Bearer YOUR_KEY.";
  const code = headers.authorization ? "invalid_api_key" : null;
  return { status: 401, type: "invalid_request_error", code, message };
}

function sendError(response: ServerResponse, error: ApiError): void {
  const { status, retryAfterSeconds } = error;
  response.writeHead(status, {
    "content-type": "application/json",
    ...(retryAfterSeconds !== undefined && { "retry-after": String(retryAfterSeconds) }),
  });
  response.end(apiErrorBody(error));
}

function sendJson(response: ServerResponse, body: object): void {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
