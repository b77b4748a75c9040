/** An answer with an HTTP status and the body that OpenAI sends with it. */
export interface ApiError {
  status: number;
  type: string;
  code: string | null;
  message: string;
  retryAfterSeconds?: number;
}

export function badRequest(message: string, code: string | null = null): ApiError {
  return { status: 400, type: "invalid_request_error", code, message };
}

export function apiErrorBody(error: ApiError): string {
  const { message, type, code } = error;
  return JSON.stringify({ error: { message, type, param: null, code } });
}
