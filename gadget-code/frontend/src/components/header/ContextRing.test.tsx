import { ProviderId } from "@gadget/api";
import { screen, waitFor } from "@testing-library/react";
import { expect, it } from "vitest";
import { FakeServer } from "../../test/fake-server.ts";
import { renderSession } from "../../test/render-session.tsx";
import { joinedWith, sampleTurn, session } from "../../test/samples.ts";
import { ContextRing } from "./ContextRing.tsx";

const spent = { inputTokens: 90_000, outputTokens: 500 };

async function show(usage: Parameters<typeof sampleTurn>[0]) {
  const server = new FakeServer();
  server.joined = joinedWith(sampleTurn({ status: "finished", ...usage }));
  await renderSession(server, <ContextRing />);
  return screen.getByRole("img");
}

it("the ring says how full the context was at the latest call, not what all calls read", async () => {
  const ring = await show({
    usage: { ...spent, contextTokens: 32_000, contextWindow: 128_000 },
  });
  expect(ring).toHaveAccessibleName("Context 25 % full");
  expect(ring).toHaveAttribute("title", "Context: 32,000 of 128,000 tokens");
});

it("the ring is there where the size is not known, and says so", async () => {
  const ring = await show({ usage: { ...spent, contextTokens: 32_000 } });
  expect(ring).toHaveAccessibleName("Context: 32,000 tokens, of a size that is not known");
});

it("the ring is there before anything was asked", async () => {
  expect(await show({})).toBeVisible();
});

it("the ring goes by the session's model, not by the one that an earlier turn had", async () => {
  const server = new FakeServer();
  const usage = { ...spent, contextTokens: 32_000, contextWindow: 128_000 };
  const providerId = ProviderId.parse("provider-1");
  server.joined = {
    ...joinedWith(sampleTurn({ status: "finished", usage })),
    session: { ...session, providerId, model: "small" },
  };
  const items = [
    { id: "large", contextWindow: 128_000 },
    { id: "small", contextWindow: 64_000 },
  ];
  server.request.mockResolvedValue({ items, nextCursor: null } as never);
  await renderSession(server, <ContextRing />);
  await waitFor(() => expect(screen.getByRole("img")).toHaveAccessibleName("Context 50 % full"));
});
