import { QueryClientProvider } from "@tanstack/react-query";
import { act, render } from "@testing-library/react";
import type { ReactNode } from "react";
import { MemoryRouter } from "react-router";
import { Toaster } from "../components/ui/Toaster.tsx";
import { UserContext } from "../lib/auth.ts";
import { ServicesContext } from "../lib/services.ts";
import { createQueryClient } from "../lib/use-request.ts";
import { SessionContext, useOpenSession } from "../session/session-context.ts";
import type { FakeServer } from "./fake-server.ts";
import { sessionId, user } from "./samples.ts";

function Opened({ children }: { children: ReactNode }) {
  const open = useOpenSession(sessionId);
  return <SessionContext value={open}>{children}</SessionContext>;
}

/** Shows something inside an open session whose server is the fake one. */
export async function renderSession(server: FakeServer, children: ReactNode, path = "/") {
  const view = render(
    <MemoryRouter initialEntries={[path]}>
      <ServicesContext value={{ request: server.request, socket: server.client }}>
        <QueryClientProvider client={createQueryClient()}>
          <UserContext value={user}>
            <Opened>{children}</Opened>
            <Toaster />
          </UserContext>
        </QueryClientProvider>
      </ServicesContext>
    </MemoryRouter>,
  );
  await act(async () => server.client.connect());
  return view;
}
