import { screen } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { FakeServer } from "../../test/fake-server.ts";
import { renderSession } from "../../test/render-session.tsx";
import { joinedWith, session } from "../../test/samples.ts";
import { EmptyChat } from "./EmptyChat.tsx";

describe("the suggestions of an empty chat", () => {
  let server: FakeServer;

  beforeEach(() => {
    server = new FakeServer();
  });

  const wontStop = () => screen.findByRole("button", { name: /^Start something that won't stop/ });

  it("say that a command asks first, where it does", async () => {
    server.joined = { ...joinedWith(), session: { ...session, approval: "edits" } };
    await renderSession(server, <EmptyChat />);
    expect(await wontStop()).toHaveTextContent("It asks first: allow it, then press Esc twice");
  });

  it("say only how to stop it, where nothing asks", async () => {
    server.joined = { ...joinedWith(), session: { ...session, approval: "auto" } };
    await renderSession(server, <EmptyChat />);
    expect(await wontStop()).toHaveTextContent(/stopThen press Esc twice$/);
  });
});
