import type { ApiError } from "../api-error.ts";
import { type Script, say } from "../script.ts";

const scripted = "This is the scripted error that the prompt asked for; any other prompt works.";

const errors: Record<string, ApiError> = {
  "401": { status: 401, type: "invalid_request_error", code: "invalid_api_key", message: scripted },
  "404": { status: 404, type: "invalid_request_error", code: "model_not_found", message: scripted },
  "429": {
    status: 429,
    type: "rate_limit_error",
    code: "rate_limit_exceeded",
    message: scripted,
    retryAfterSeconds: 1,
  },
  "500": { status: 500, type: "server_error", code: null, message: scripted },
  "503": { status: 503, type: "server_error", code: "overloaded", message: scripted },
};

export const error: Script = {
  id: "error",
  words:
    /\berror (?:401|404|429|500|503|mid-?stream)\b|^\W*(?:(?:show|give|make|cause|raise)(?: me)? )?(?:an )?error\W*(?:fast)?\W*$/i,
  next({ prompt }) {
    if (/\berror mid-?stream\b/i.test(prompt)) {
      const text =
        "In the middle of this sentence the connection breaks, as connections do, and the rest of it will";
      return { ...say(text), breaksOff: true };
    }
    const status = /\berror (\d{3})\b/i.exec(prompt)?.[1] ?? "500";
    const found = errors[status];
    return found ? { kind: "failure", error: found } : say(`There is no scripted error ${status}.`);
  },
};
