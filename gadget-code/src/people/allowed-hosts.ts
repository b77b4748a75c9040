import type { IncomingHttpHeaders } from "node:http";
import type { Config } from "../config.ts";
import { ownName } from "../own-name.ts";

const bindable = ["localhost", "127.0.0.1", "[::1]"];
const loopback = new Set([...bindable, ownName]);

export function isLoopback(host: string): boolean {
  return bindable.includes(host) || host === "::1";
}

export interface AllowedHosts {
  /** Whether a request may name this host (the `Host` header). */
  host(host: string | undefined): boolean;
  /** Whether the page that asks may talk to us: it was loaded from this very scheme and host. */
  origin(headers: IncomingHttpHeaders): boolean;
}

/**
 * An exact list, against DNS rebinding and cross-site sockets. Loopback names pass with any
 * port, because tunnels change it.
 */
export function allowedHosts({ host, port, publicUrl, allowedHosts: more }: Config): AllowedHosts {
  const exact = new Set([`${host}:${port}`, ...more]);
  if (publicUrl !== undefined) {
    exact.add(publicUrl.host);
  }
  const isAllowed = (name: string | undefined): boolean => {
    if (name === undefined || name === "") {
      return false;
    }
    return exact.has(name) || loopback.has(name.replace(/:\d+$/, ""));
  };
  return {
    host: isAllowed,
    origin({ origin, host: requested, "x-forwarded-proto": forwarded }) {
      if (origin === undefined || requested === undefined || !URL.canParse(origin)) {
        return false;
      }
      const { host: from, protocol } = new URL(origin);
      if (from !== requested || !isAllowed(requested)) {
        return false;
      }
      if (forwarded === undefined && requested === publicUrl?.host) {
        return protocol === publicUrl.protocol;
      }
      return schemesOf(requested, forwarded).includes(protocol);
    },
  };
}

/**
 * Here only plain http is spoken; a proxy with TLS says so in `X-Forwarded-Proto`, which no page of
 * another site can send. Before a further host there may be a proxy that says nothing.
 */
function schemesOf(host: string, forwarded: string | string[] | undefined): string[] {
  const said = String(forwarded ?? "")
    .split(",", 1)[0]
    ?.trim();
  if (said) {
    return [`${said}:`];
  }
  return loopback.has(host.replace(/:\d+$/, "")) ? ["http:"] : ["http:", "https:"];
}

/** The host comes from outside: only what a host can be made of is said back. */
export function hostRefusal(host = ""): string {
  const shown = host.replace(/[^\w.:[\]-]/g, "").slice(0, 200);
  return `This server does not answer to the host "${shown}". Set GADGET_PUBLIC_URL or GADGET_ALLOWED_HOSTS to allow it.`;
}
