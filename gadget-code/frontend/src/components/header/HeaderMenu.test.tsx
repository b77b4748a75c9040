import { fireEvent, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { FakeServer } from "../../test/fake-server.ts";
import { renderSession } from "../../test/render-session.tsx";
import { session } from "../../test/samples.ts";
import { HeaderMenu } from "./HeaderMenu.tsx";

it("Compact in the session's menu asks for it, and a refusal is told", async () => {
  const server = new FakeServer();
  await renderSession(server, <HeaderMenu session={session} onFind={() => {}} />);
  fireEvent.click(screen.getByRole("button", { name: "Session menu" }));
  fireEvent.click(screen.getByRole("menuitem", { name: "Compact" }));
  expect(server.request).toHaveBeenCalledWith("compactSession", { params: { id: session.id } });
  expect(await screen.findByRole("status")).not.toBeEmptyDOMElement();
});
