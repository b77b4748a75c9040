import { HttpsProxyAgent } from "https-proxy-agent";
import { Problem } from "../problem.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The demo model and a server on this machine are never behind a proxy. */
const never = ["localhost", "127.0.0.1", "::1"];

export interface OutboundProxy {
  http: string | undefined;
  https: string | undefined;
  /** Host names, with a port where one is meant; `.example.com` means all below it, `*` all. */
  none: string[];
}

/** `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`, in small letters or large; undefined without any. */
export function readProxy(env: Environment): OutboundProxy | undefined {
  const [http, https] = ["http_proxy", "https_proxy"].map((name) => proxyUrl(name, env));
  if (http === undefined && https === undefined) {
    return undefined;
  }
  const none = (env["no_proxy"] || env["NO_PROXY"] || "").split(/[\s,]+/).filter(Boolean);
  return { http, https, none: [...none, ...never] };
}

function proxyUrl(name: string, env: Environment): string | undefined {
  const text = env[name] || env[name.toUpperCase()];
  if (!text) {
    return undefined;
  }
  const url = text.includes("://") ? text : `http://${text}`;
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) {
    return url;
  }
  throw new Problem(
    `${name.toUpperCase()} is no address of a proxy: it looks like http://HOST:PORT.`,
  );
}

/** The proxy on the way to this address, if there is one. */
export function proxyTo(target: URL, proxy: OutboundProxy | undefined): string | undefined {
  if (proxy === undefined) {
    return undefined;
  }
  const secure = target.protocol === "https:" || target.protocol === "wss:";
  const host = target.hostname.replace(/^\[|\]$/g, "").toLowerCase();
  const port = target.port || (secure ? "443" : "80");
  const isDirect = proxy.none.some((entry) => {
    if (entry === "*") {
      return true;
    }
    const [, named = "", onlyPort] = /^(.+?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
    if (entry.includes("::")) {
      return host === entry.replace(/^\[|\]$/g, "");
    }
    if (onlyPort !== undefined && onlyPort !== port) {
      return false;
    }
    const name = named.replace(/^\*?\./, "");
    return host === name || host.endsWith(`.${name}`);
  });
  if (isDirect) {
    return undefined;
  }
  return secure ? proxy.https : proxy.http;
}

/** The tunnel to this address, where a proxy is on the way; connections are kept for a while. */
export function agentTo(
  address: string,
  proxy: OutboundProxy | undefined,
): HttpsProxyAgent<string> | undefined {
  const url = URL.canParse(address) ? proxyTo(new URL(address), proxy) : undefined;
  if (url === undefined) {
    return undefined;
  }
  return new HttpsProxyAgent(url, { keepAlive: true, timeout: 5_000 });
}

/** How socket.io gets to the server. */
export function tunnelTo(server: string, proxy: OutboundProxy | undefined): { agent?: never } {
  const url = proxyTo(new URL(server), proxy);
  if (url === undefined) {
    return {};
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its types say string, Node gets it and wants an agent
  return { agent: new HttpsProxyAgent(url) as never };
}
