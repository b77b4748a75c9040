import { type Project, ProjectId, type Provider, ProviderId } from "@gadget/api";
import { QueryClientProvider } from "@tanstack/react-query";
import { fireEvent, render, screen } from "@testing-library/react";
import { createMemoryRouter, RouterProvider } from "react-router";
import { expect, it } from "vitest";
import { ServicesContext } from "../lib/services.ts";
import { createQueryClient } from "../lib/use-request.ts";
import { FakeServer } from "../test/fake-server.ts";
import { WelcomePage } from "./WelcomePage.tsx";

const createdAt = "2026-01-02T03:04:05.000Z";
const provider: Provider = {
  id: ProviderId.parse("provider-1"),
  name: "Demo (scripted)",
  kind: "demo",
  hasKey: false,
  shared: true,
  mine: false,
  createdAt,
};

it("goes on where it was after a reload", async () => {
  const server = new FakeServer();
  const project: Partial<Project> = { id: ProjectId.parse("project-1"), name: "Sample project" };
  server.request.mockImplementation(async (name) => {
    const items = name === "listProviders" ? [provider] : [project];
    return { items, nextCursor: null } as never;
  });
  const open = (at: string) => {
    const router = createMemoryRouter([{ path: "/welcome", element: <WelcomePage /> }], {
      initialEntries: [at],
    });
    const view = render(
      <ServicesContext value={{ request: server.request, socket: server.client }}>
        <QueryClientProvider client={createQueryClient()}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </ServicesContext>,
    );
    return { router, view };
  };
  const { router, view } = open("/welcome");
  fireEvent.click(await screen.findByRole("button", { name: /Demo \(scripted\)/ }));
  await screen.findByRole("heading", { name: "Choose a project" });
  const { pathname, search } = router.state.location;
  view.unmount();

  open(pathname + search);
  await screen.findByRole("button", { name: "Sample project" });
  expect(screen.getByRole("heading", { name: "Choose a project" })).toBeInTheDocument();
});
