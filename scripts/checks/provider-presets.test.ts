import { expect, it } from "vitest";
import { providerPresets } from "../../gadget-code/frontend/src/components/providers/provider-presets.ts";
import { knownServers } from "../../packages/ai/src/known-servers.ts";

// Two packages that must not know each other: the one offers the addresses, the other knows what
// their servers do not say.
it("what the page offers and what the ai package knows of servers are the same addresses", () => {
  const offered = providerPresets.filter(({ baseUrl }) => baseUrl !== "");
  const address = ({ kind, baseUrl }: { kind: string; baseUrl: string }) => `${kind} ${baseUrl}`;
  expect(offered.map(address).toSorted()).toEqual(knownServers.map(address).toSorted());
});
