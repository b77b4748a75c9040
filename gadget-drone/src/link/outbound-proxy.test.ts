import { describe, expect, it } from "vitest";
import { proxyTo, readProxy } from "./outbound-proxy.ts";

const env = {
  HTTPS_PROXY: "http://proxy.corp:3128",
  http_proxy: "proxy.corp:3129",
  NO_PROXY: "internal.corp, .lan,10.0.0.7:8443",
};

describe("the outbound proxy", () => {
  it.each([
    ["https://gadget.example.com", "http://proxy.corp:3128"],
    ["http://gadget.example.com", "http://proxy.corp:3129"],
    ["https://internal.corp", undefined],
    ["https://a.internal.corp:8443", undefined],
    ["https://notinternal.corp", "http://proxy.corp:3128"],
    ["https://box.lan", undefined],
    ["https://10.0.0.7:8443", undefined],
    ["https://10.0.0.7", "http://proxy.corp:3128"],
    ["http://127.0.0.1:4180", undefined],
    ["http://[::1]:4180", undefined],
    ["http://localhost:11434", undefined],
  ])("on the way to %s is %s", (target, expected) => {
    expect(proxyTo(new URL(target), readProxy(env))).toBe(expected);
  });

  it("is none where none is named, and everything is direct with *", () => {
    expect(readProxy({})).toBeUndefined();
    const all = readProxy({ HTTPS_PROXY: "http://p:1", no_proxy: "*" });
    expect(proxyTo(new URL("https://example.com"), all)).toBeUndefined();
  });

  it("names an address that is no proxy's", () => {
    expect(() => readProxy({ HTTPS_PROXY: "socks5://p:1" })).toThrow(/HTTPS_PROXY is no address/);
  });
});
