import { type AiProvider, createProvider } from "@gadget/ai";
import type { ProviderAccess } from "@gadget/api";
import type { Demo } from "./demo.ts";

/** A provider for one order or request; its user closes it. */
export async function providerFor(access: ProviderAccess, demo: Demo): Promise<AiProvider> {
  if (access.kind === "demo") return createProvider({ kind: "openai", ...(await demo.access()) });
  const { kind, baseUrl, apiKey } = access;
  return createProvider({
    kind,
    ...(baseUrl !== undefined && { baseUrl }),
    ...(apiKey !== undefined && { apiKey }),
  });
}
