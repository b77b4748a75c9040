import { type Provider, ProviderId } from "@gadget/api";
import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { FakeServer } from "../../test/fake-server.ts";
import { renderSession } from "../../test/render-session.tsx";
import { joinedWith, sampleTurn, session, turnId } from "../../test/samples.ts";
import { ChatTurn } from "../ChatTurn.tsx";

const provider: Provider = {
  id: ProviderId.parse("provider-1"),
  name: "Own server",
  kind: "openai",
  hasKey: true,
  shared: false,
  mine: true,
  createdAt: "2026-01-02T03:04:05.000Z",
};

async function show(errorMessage: string, change: Partial<Provider> = {}) {
  const server = new FakeServer();
  server.request.mockImplementation(async (name) => {
    const items = name === "listProviders" ? [{ ...provider, ...change }] : [];
    return { items, nextCursor: null } as never;
  });
  server.joined = {
    ...joinedWith(sampleTurn({ status: "error", errorMessage })),
    session: { ...session, providerId: provider.id },
  };
  await renderSession(server, <ChatTurn turnId={turnId} />);
}

it.each([
  "The provider refused the API key. Check the key.",
  "The API key may not use gpt-9. Check its permissions, or choose another model.",
])("an answer that failed with “%s” leads to the provider's settings", async (sentence) => {
  await show(sentence);
  const link = await screen.findByRole("link", { name: "Open the settings of Own server" });
  expect(link).toHaveAttribute("href", "/settings/providers#provider-1");
});

it("leads nobody to settings that are not theirs, nor from another error", async () => {
  await show("The provider refused the API key. Check the key.", { mine: false });
  expect(screen.queryByRole("link")).toBeNull();
  await show("The provider does not know this model or address. Check both.");
  expect(screen.queryByRole("link")).toBeNull();
});
