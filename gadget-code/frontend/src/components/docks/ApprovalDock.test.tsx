import { ApprovalId, type PartOf } from "@gadget/api";
import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { FakeServer } from "../../test/fake-server.ts";
import { renderSession } from "../../test/render-session.tsx";
import { turnId } from "../../test/samples.ts";
import { ApprovalDock } from "./ApprovalDock.tsx";

const asked: PartOf<"approval"> = {
  kind: "approval",
  id: ApprovalId.parse("approval-1"),
  name: "shell",
  command: "npm run dev",
  open: true,
};

test("the card says where and how a command runs, and what the session would allow", async () => {
  const part = {
    ...asked,
    cwd: "apps/site",
    background: true,
    prefix: "npm run dev",
    allows: "exactly this command, in apps/site, in the background.",
  };
  await renderSession(new FakeServer(), <ApprovalDock turnId={turnId} part={part} />);
  const card = screen.getByRole("region", { name: "Approval" });
  expect(card.textContent).toContain("In the folder apps/site.");
  expect(card.textContent).toContain("In the background");
  const button = screen.getByRole("button", { name: /in this session/ });
  expect(button).toHaveAccessibleDescription(/exactly this command, in apps\/site/);
});

test("a time limit that the model chose is shown", async () => {
  const part = { ...asked, timeoutMs: 3_600_000 };
  await renderSession(new FakeServer(), <ApprovalDock turnId={turnId} part={part} />);
  expect(screen.getByRole("region").textContent).toContain("For at most 1 h.");
});

test("what can't be allowed for the session is offered once only", async () => {
  await renderSession(new FakeServer(), <ApprovalDock turnId={turnId} part={asked} />);
  expect(screen.getByRole("button", { name: "Allow once" })).toBeEnabled();
  expect(screen.queryByRole("button", { name: /in this session/ })).toBeNull();
});
