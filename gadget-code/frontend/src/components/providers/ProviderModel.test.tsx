import { type Provider, ProviderId } from "@gadget/api";
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { FakeServer } from "../../test/fake-server.ts";
import { renderSession } from "../../test/render-session.tsx";
import { ProviderModel } from "./ProviderModel.tsx";

const provider: Provider = {
  id: ProviderId.parse("provider-1"),
  name: "Own server",
  kind: "openai",
  baseUrl: "http://127.0.0.1:8000/v1",
  hasKey: false,
  contextWindow: 32_768,
  shared: false,
  mine: true,
  createdAt: "2026-01-02T03:04:05.000Z",
};

describe("how much a provider's models can read", () => {
  let server: FakeServer;
  const bodies: unknown[] = [];

  beforeEach(async () => {
    bodies.length = 0;
    server = new FakeServer();
    server.request.mockImplementation(async (name, options) => {
      if (name === "updateProvider") {
        bodies.push((options as { body: unknown }).body);
      }
      return (name === "listModels" ? { items: [], nextCursor: null } : { provider }) as never;
    });
    const done = () => {};
    await renderSession(
      server,
      <ProviderModel provider={provider} onSaved={done} onClose={done} />,
    );
  });

  const save = async (value: string) => {
    const field = screen.getByLabelText("Context size, in tokens");
    expect(field).toHaveValue(32_768);
    fireEvent.change(field, { target: { value } });
    fireEvent.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() => expect(bodies).toHaveLength(1));
  };

  it("is kept as it was entered", async () => {
    await save("131072");
    expect(bodies[0]).toMatchObject({ contextWindow: 131_072 });
  });

  it("is what the model says again, when the field is emptied", async () => {
    await save("");
    expect(bodies[0]).toMatchObject({ contextWindow: null, contextWindows: null });
  });

  it("can be set for one model, and be taken back", async () => {
    fireEvent.click(screen.getByRole("button", { name: "Add a size for one model" }));
    fireEvent.click(screen.getByRole("button", { name: "Add a size for one model" }));
    for (const [index, field] of screen.getAllByLabelText("Model").entries()) {
      fireEvent.change(field, { target: { value: `model-${index}` } });
    }
    for (const field of screen.getAllByLabelText("Its context size")) {
      fireEvent.change(field, { target: { value: "65536" } });
    }
    const [first] = screen.getAllByRole("button", { name: "Remove this context size" });
    if (first !== undefined) {
      fireEvent.click(first);
    }
    await save("32768");
    expect(bodies[0]).toMatchObject({
      contextWindow: 32_768,
      contextWindows: [{ model: "model-1", contextWindow: 65_536 }],
    });
  });
});
