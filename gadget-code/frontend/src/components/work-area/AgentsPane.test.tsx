import type { TurnEventBody } from "@gadget/api";
import { act, fireEvent, screen } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { FakeServer } from "../../test/fake-server.ts";
import { renderSession } from "../../test/render-session.tsx";
import { joinedWith, numbered, sampleTurn, turnId } from "../../test/samples.ts";
import { ChatTurn } from "../ChatTurn.tsx";
import { AgentsPane } from "./AgentsPane.tsx";

it("leads to a subagent's card, and opens those around it", async () => {
  const server = new FakeServer();
  server.joined = joinedWith(sampleTurn());
  const onShow = vi.fn<() => void>();
  HTMLElement.prototype.scrollIntoView = () => {};
  await renderSession(
    server,
    <>
      <ChatTurn turnId={turnId} />
      <AgentsPane onShow={onShow} />
    </>,
  );
  const start = (childId: string, parentId: string, depth: number): TurnEventBody => ({
    type: "subagent:start",
    childId,
    parentId,
    depth,
    title: `The task of ${childId}`,
  });
  const bodies = [start("outer", "main", 1), start("inner", "outer", 2)];
  await act(async () => {
    server.push("turnEvents", { turnId, events: numbered(1, ...bodies) });
    await new Promise((resolve) => void requestAnimationFrame(resolve));
  });
  fireEvent.click(screen.getByRole("button", { name: /^The task of inner/ }));
  const [outer, inner] = screen.getAllByRole("group");
  expect(outer).toHaveAttribute("open");
  expect(inner).toHaveAttribute("open");
  expect(inner?.querySelector("summary")).toHaveFocus();
  expect(onShow).toHaveBeenCalledOnce();
});
