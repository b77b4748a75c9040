import { act, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { useSession } from "../../session/session-context.ts";
import { FakeServer } from "../../test/fake-server.ts";
import { renderSession } from "../../test/render-session.tsx";
import { joinedWith, numbered, otherTurnId, sampleTurn, turnId } from "../../test/samples.ts";
import { JumpToLatest } from "./JumpToLatest.tsx";

/** As the timeline does it: mounted once there is something to have left. */
function Left() {
  const isOpen = useSession((state) => state.phase === "open");
  return isOpen ? <JumpToLatest onJump={() => {}} /> : null;
}

const nextFrame = () => new Promise((resolve) => void requestAnimationFrame(resolve));

it("older turns that are loaded are no news; what comes after the end of then is", async () => {
  const server = new FakeServer();
  server.joined = joinedWith(sampleTurn());
  await renderSession(server, <Left />);
  const pill = screen.getByRole("button");
  expect(pill).toHaveAccessibleName("Jump to latest");
  const older = sampleTurn({
    id: otherTurnId,
    status: "finished",
    createdAt: "2025-01-01T00:00:00.000Z",
  });
  await act(async () => server.pushTurn(older));
  expect(pill).toHaveAccessibleName("Jump to latest");
  await act(async () => {
    const bodies = numbered(
      1,
      { type: "text:start", partId: "p1" },
      { type: "text:start", partId: "p2" },
    );
    server.push("turnEvents", { turnId, events: bodies });
    await nextFrame();
  });
  expect(pill).toHaveAccessibleName("Jump to latest · 2 new");
});
