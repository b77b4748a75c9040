import { type Provider, ProviderId } from "@gadget/api";
import { screen, waitFor } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { FakeServer } from "../../test/fake-server.ts";
import { renderSession } from "../../test/render-session.tsx";
import { joinedWith, session } from "../../test/samples.ts";
import { SessionChoices } from "./SessionChoices.tsx";

const provider: Provider = {
  id: ProviderId.parse("provider-1"),
  name: "Own server",
  kind: "openai",
  hasKey: false,
  shared: false,
  mine: true,
  createdAt: "2026-01-02T03:04:05.000Z",
};

describe("the provider and the model of a session", () => {
  let server: FakeServer;
  let bodies: unknown[];
  let listed: string[];

  beforeEach(() => {
    bodies = [];
    listed = ["first", "second"];
    server = new FakeServer();
    server.request.mockImplementation(async (name, options) => {
      if (name === "updateSession") {
        const { body } = options as { body: { model: string } };
        bodies.push(body);
        return { session: { ...session, providerId: provider.id, ...body } } as never;
      }
      const items = name === "listProviders" ? [provider] : listed.map((id) => ({ id }));
      return { items, nextCursor: null } as never;
    });
  });

  const show = (choice: { providerId: ProviderId; model: string | null }) => {
    server.joined = { ...joinedWith(), session: { ...session, ...choice } };
    return renderSession(server, <SessionChoices />);
  };

  it("a provider that is gone has to be chosen anew", async () => {
    await show({ providerId: ProviderId.parse("provider-gone"), model: "first" });
    expect(await screen.findByLabelText("Provider")).toHaveDisplayValue("Choose a provider");
    expect(screen.queryByLabelText("Model")).toBeNull();
  });

  it("the demo's model gives way to one of the provider's own", async () => {
    await show({ providerId: provider.id, model: "demo" });
    await waitFor(() => expect(bodies).toEqual([{ model: "first" }]));
    expect(screen.getByLabelText("Model")).toHaveDisplayValue("first");
  });

  it("a model that the provider lists stays, whatever its name is", async () => {
    listed = ["demo", "first"];
    await show({ providerId: provider.id, model: "demo" });
    expect(await screen.findByLabelText("Model")).toHaveDisplayValue("demo");
    expect(bodies).toEqual([]);
  });
});
