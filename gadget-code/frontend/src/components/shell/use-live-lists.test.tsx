import { type ChatSession, ProjectId } from "@gadget/api";
import { act, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { useRequest } from "../../lib/use-request.ts";
import { FakeServer } from "../../test/fake-server.ts";
import { renderSession } from "../../test/render-session.tsx";
import { session } from "../../test/samples.ts";
import { useLiveLists } from "./use-live-lists.ts";

function Projects() {
  useLiveLists();
  const { data } = useRequest("listProjects", {});
  return <p>{data?.items.map(({ name }) => name).join(", ")}</p>;
}

const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("a session of a project that nobody here knows yet brings the project's name", async () => {
  const server = new FakeServer();
  const projects = [{ id: session.projectId, name: "Shop" }];
  server.request.mockImplementation(
    async (name) => ({ items: name === "listProjects" ? [...projects] : [] }) as never,
  );
  await renderSession(server, <Projects />);
  await pass(0);
  expect(screen.getByText("Shop")).toBeInTheDocument();
  const asked = () => server.request.mock.calls.filter(([name]) => name === "listProjects").length;
  const before = asked();
  const change = async (projectId: ChatSession["projectId"]) => {
    act(() => server.push("sessionChanged", { session: { ...session, projectId } }));
    await pass(400);
  };
  await change(session.projectId);
  expect(asked()).toBe(before);
  projects.push({ id: ProjectId.parse("project-2"), name: "Own" });
  await change(ProjectId.parse("project-2"));
  expect(screen.getByText("Shop, Own")).toBeInTheDocument();
});
