import { screen } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { FakeServer } from "../../test/fake-server.ts";
import { renderSession } from "../../test/render-session.tsx";
import { FilesPane } from "./FilesPane.tsx";

describe("a file that is longer than what is shown", () => {
  let server: FakeServer;

  beforeEach(() => {
    server = new FakeServer();
  });

  it("says how much of it that is", async () => {
    const text = "x".repeat(1_000_000);
    server.request.mockImplementation(
      async () =>
        ({
          kind: "file",
          path: "big.txt",
          size: 1_900_000,
          binary: false,
          cut: true,
          text,
        }) as never,
    );
    await renderSession(server, <FilesPane />);
    expect(await screen.findByText("First 1 MB of 1.9 MB")).toBeInTheDocument();
  });
});
