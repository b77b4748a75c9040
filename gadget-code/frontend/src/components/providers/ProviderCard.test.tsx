import { type Provider, ProviderId, type ProviderTest } from "@gadget/api";
import { fireEvent, screen } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { FakeServer } from "../../test/fake-server.ts";
import { renderSession } from "../../test/render-session.tsx";
import { ProviderCard } from "./ProviderCard.tsx";

const provider: Provider = {
  id: ProviderId.parse("provider-1"),
  name: "Own server",
  kind: "openai",
  baseUrl: "http://127.0.0.1:8000/v1",
  hasKey: true,
  lastTest: { ok: false, message: "The provider refused the API key. Check the key." },
  shared: false,
  mine: true,
  createdAt: "2026-01-02T03:04:05.000Z",
};

describe("a provider's card", () => {
  let server: FakeServer;
  let result: ProviderTest;
  const asked = () => server.request.mock.calls.map(([name]) => name);

  beforeEach(async () => {
    result = { ok: true, message: "It answers: 2 models." };
    server = new FakeServer();
    server.request.mockImplementation(async (name) => {
      const answer = name === "testProvider" ? result : { provider, items: [], nextCursor: null };
      return answer as never;
    });
    await renderSession(server, <ProviderCard provider={provider} />);
  });

  const save = async () => {
    fireEvent.click(screen.getByRole("button", { name: "Edit" }));
    fireEvent.change(screen.getByLabelText("API key"), { target: { value: "another" } });
    fireEvent.click(screen.getByRole("button", { name: "Save" }));
    await screen.findByText(result.message);
  };

  it("is marked by what failed the last time, and tested anew once it is mended", async () => {
    expect(screen.getByRole("status")).toHaveTextContent("The provider refused the API key.");
    await save();
    expect(asked().filter((name) => /^(update|test)/.test(name))).toEqual([
      "updateProvider",
      "testProvider",
    ]);
    expect(screen.queryByText(/refused the API key/)).toBeNull();
    expect(screen.queryByLabelText("API key")).toBeNull();
    expect(screen.getByText("Saved.")).toBeInTheDocument();
  });

  it("says so where what was saved does not answer either", async () => {
    result = { ok: false, message: "The provider can't be reached." };
    await save();
    expect(screen.getByText("The provider can't be reached.")).toBeVisible();
  });
});
