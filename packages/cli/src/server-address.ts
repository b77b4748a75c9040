import { exitCodes } from "./exit-code.ts";
import { Problem } from "./problem.ts";

export const defaultServer = "http://127.0.0.1:4180";

/** A server is named by its origin; what was pasted from the page's address bar is good enough. */
export function serverAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol)) {
    throw new Problem(
      `"${text}" is no address of a server: it looks like ${defaultServer}.`,
      exitCodes.usage,
    );
  }
  return url.origin;
}

/** Whether others on the way could read what is sent there. */
export function isExposed(server: string): boolean {
  const { protocol, hostname } = new URL(server);
  const loopback = /^(?:127(?:\.\d{1,3}){3}|\[::1\]|localhost|.+\.localhost)$/.test(hostname);
  return protocol === "http:" && !loopback;
}
