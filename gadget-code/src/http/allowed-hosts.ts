import type { Config } from "../config.ts";

const loopback = new Set(["localhost", "127.0.0.1", "[::1]"]);

export function isLoopback(host: string): boolean {
  return loopback.has(host) || host === "::1";
}

export interface AllowedHosts {
  /** Whether a request may name this host (the `Host` header). */
  host(host: string | undefined): boolean;
  /** Whether a page of this origin may talk to us: the very host that it was loaded from. */
  origin(origin: string | undefined, host: string | undefined): boolean;
}

/**
 * An exact list, against DNS rebinding and cross-site sockets. Loopback names pass with any
 * port, because tunnels change it.
 */
export function allowedHosts({ host, port, publicUrl, allowedHosts: more }: Config): AllowedHosts {
  const exact = new Set([`${host}:${port}`, ...more]);
  if (publicUrl !== undefined) exact.add(publicUrl.host);
  const isAllowed = (name: string | undefined): boolean => {
    if (name === undefined || name === "") return false;
    return exact.has(name) || loopback.has(name.replace(/:\d+$/, ""));
  };
  return {
    host: isAllowed,
    origin(origin, requested) {
      if (origin === undefined || requested === undefined || !URL.canParse(origin)) return false;
      const { host: from, protocol } = new URL(origin);
      return /^https?:$/.test(protocol) && from === requested && isAllowed(requested);
    },
  };
}

/** The host comes from outside: only what a host can be made of is said back. */
export function hostRefusal(host = ""): string {
  const shown = host.replace(/[^\w.:[\]-]/g, "").slice(0, 200);
  return `This server does not answer to the host "${shown}". Set GADGET_PUBLIC_URL or GADGET_ALLOWED_HOSTS to allow it.`;
}
