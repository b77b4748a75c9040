import { lookup } from "node:dns";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { isInnerAddress } from "./is-inner-address.ts";

export interface Page {
  url: string;
  status: number;
  type: string;
  text: string;
  cut: boolean;
}

interface FetchOptions {
  signal: AbortSignal;
  innerAddresses: boolean;
  /** How names and addresses are judged; the machine's own ways, if not given. */
  resolve?: typeof lookup;
  isInner?: (address: string) => boolean;
}

const largestBytes = 2 * 1024 * 1024;
const mostRedirects = 5;

/** Fetches a page; every address on the way is checked at the moment of connecting. */
export async function fetchPage(address: string, options: FetchOptions): Promise<Page> {
  let url = parse(address);
  for (let redirects = 0; redirects <= mostRedirects; redirects++) {
    const response = await open(url, options);
    const { location } = response.headers;
    const status = response.statusCode ?? 0;
    if (status < 300 || status >= 400 || location === undefined) {
      return readPage(url, response);
    }
    response.destroy();
    url = parse(new URL(location, url).href);
  }
  throw new Error("The page redirects too often.");
}

function parse(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol)) {
    throw new Error(`"${address}" is no http or https address.`);
  }
  if (url.username !== "" || url.password !== "") {
    throw new Error("No passwords in addresses.");
  }
  return url;
}

function open(url: URL, options: FetchOptions): Promise<IncomingMessage> {
  const { signal, innerAddresses, resolve = lookup, isInner = isInnerAddress } = options;
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (!innerAddresses && isIP(host) !== 0 && isInner(host)) {
    throw refused(host);
  }
  const send = url.protocol === "https:" ? httpsRequest : httpRequest;
  return new Promise((respond, reject) => {
    const sent = send(url, {
      signal,
      agent: false,
      headers: {
        "user-agent": "gadget-drone",
        accept: "text/*, application/json;q=0.9, */*;q=0.1",
      },
      lookup: innerAddresses ? resolve : outerOnly(resolve, isInner),
    });
    sent.once("response", respond);
    sent.once("error", reject);
    sent.end();
  });
}

/** Looks a name up for the connection itself, so that no second answer can differ from this one. */
function outerOnly(resolve: typeof lookup, isInner: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      const found = error === null ? addresses : [];
      const inner = found.find(({ address }) => isInner(address));
      if (error !== null) {
        callback(error, "", 0);
      } else if (inner !== undefined) {
        callback(refused(hostname), "", 0);
      } else if (options.all === true) {
        callback(null, found);
      } else {
        callback(null, found[0]?.address ?? "", found[0]?.family ?? 0);
      }
    });
  };
}

function refused(host: string): Error {
  return new Error(`${host} is inside the drone's own network, which may not be fetched.`);
}

async function readPage(url: URL, response: IncomingMessage): Promise<Page> {
  const chunks: Buffer[] = [];
  let size = 0;
  let cut = false;
  for await (const chunk of response) {
    if (!Buffer.isBuffer(chunk)) {
      continue;
    }
    chunks.push(chunk.subarray(0, largestBytes - size));
    size += chunk.length;
    cut = size > largestBytes;
    if (cut) {
      break;
    }
  }
  response.destroy();
  const type = response.headers["content-type"] ?? "";
  const text = Buffer.concat(chunks).toString("utf8");
  return { url: url.href, status: response.statusCode ?? 0, type, text, cut };
}
