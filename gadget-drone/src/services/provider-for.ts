import { type AiProvider, createProvider } from "@gadget/ai";
import type { ProviderAccess } from "@gadget/api";
import { agentTo, type OutboundProxy } from "../link/outbound-proxy.ts";
import type { Demo } from "./demo.ts";

export interface Models {
  demo: Demo;
  proxy: OutboundProxy | undefined;
}

/** A provider for one order or request; its user closes it. */
export async function providerFor(
  access: ProviderAccess,
  { demo, proxy }: Models,
): Promise<AiProvider> {
  if (access.kind === "demo") {
    return createProvider({ kind: "openai", ...(await demo.access()) });
  }
  const { kind, baseUrl, apiKey, contextWindow } = access;
  return createProvider({
    kind,
    agentFor: (url) => agentTo(url, proxy),
    ...(baseUrl !== undefined && { baseUrl }),
    ...(apiKey !== undefined && { apiKey }),
    ...(contextWindow !== undefined && { contextLength: contextWindow }),
  });
}
