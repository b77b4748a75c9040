import { ApprovalId, CallId, type TurnEventBody } from "@gadget/api";
import { act, fireEvent, screen, within } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { FakeServer } from "../../test/fake-server.ts";
import { renderSession } from "../../test/render-session.tsx";
import { joinedWith, numbered, sampleTurn, turnId, user } from "../../test/samples.ts";
import { ChatTurn } from "../ChatTurn.tsx";

const callId = CallId.parse("call-1");
const approvalId = ApprovalId.parse("approval-1");
const command = "set -e\nprintf '%s' one\nnpm test";
const start: TurnEventBody = { type: "tool:start", callId, name: "shell" };
const runs: TurnEventBody = { type: "tool:input", callId, input: { command, path: "src" } };
const asks: TurnEventBody = { type: "approval:open", approvalId, callId, name: "shell", command };

describe("a tool's card", () => {
  let server: FakeServer;
  let seq: number;

  beforeEach(async () => {
    server = new FakeServer();
    server.joined = joinedWith(sampleTurn());
    server.request.mockImplementation(async (name) => {
      if (name !== "getWorkspace") {
        throw new Error(`${name} is not expected`);
      }
      return { workspace: { directory: "/srv/app", branch: null, commit: null } } as never;
    });
    // The browser of these tests has no modal dialogs.
    HTMLDialogElement.prototype.showModal = function showModal() {
      this.open = true;
    };
    seq = 1;
    await renderSession(server, <ChatTurn turnId={turnId} />);
  });

  const push = async (...bodies: TurnEventBody[]) => {
    await act(async () => {
      server.push("turnEvents", { turnId, events: numbered(seq, ...bodies) });
      await new Promise((resolve) => void requestAnimationFrame(resolve));
    });
    seq += bodies.length;
  };
  const card = () => screen.getByRole("group");

  it("says of a background command where it is, not what the model was told", async () => {
    const text = "Started in the background as abcd. The tool background shows its output.";
    const input = { command: "npm run dev", background: true };
    await push(start, { type: "tool:input", callId, input });
    await push({ type: "tool:end", callId, name: "shell", outcome: "finished", input, text });
    expect(card()).toHaveTextContent("Runs in the background until it ends or you stop it.");
    expect(card()).not.toHaveTextContent("The tool background");
  });

  it("says of a cancelled command what it printed, not what the model is told of it", async () => {
    await push(start, runs, {
      type: "tool:end",
      callId,
      name: "shell",
      outcome: "cancelled",
      input: { command },
      text: "The outcome of this tool call is unknown: it may have run in part or in full.",
    });
    expect(card()).toHaveTextContent("No output.");
    expect(card()).not.toHaveTextContent("may have run in part");
  });

  it("shows a diff that was undone struck out, and says so", async () => {
    const diff = "@@ -0,0 +1 @@\n+hello\n";
    await push({ type: "tool:start", callId, name: "write_file" });
    await push({
      type: "tool:end",
      callId,
      name: "write_file",
      outcome: "finished",
      input: { path: "notes/hello.md" },
      text: "Written.",
      diff,
    });
    const added = () => within(card()).getByText("+hello").closest("pre");
    expect(added()).not.toHaveClass("line-through");
    await act(async () => {
      server.pushTurn(sampleTurn({ status: "finished", undone: true }));
      await new Promise((resolve) => void requestAnimationFrame(resolve));
    });
    expect(added()).toHaveClass("line-through");
    expect(card()).toHaveTextContent("Undone");
  });

  it("waits for an approval without a word of running, and says who denied it", async () => {
    await push(start, { type: "tool:input", callId, delta: JSON.stringify({ command }) }, asks);
    await push({ type: "turn:changed", status: "processing", waitingFor: "approval" });
    expect(card()).toHaveTextContent("Wants to run");
    expect(card()).not.toHaveTextContent(/Running|No output/);
    expect(within(card()).getByLabelText("Command").textContent).toBe(command);
    expect(document.querySelector(".pulse")).toBeNull();
    const by = { id: user.id, name: user.name };
    await push(
      { type: "approval:closed", approvalId, decision: "deny", reason: "Not today", by },
      {
        type: "tool:end",
        callId,
        name: "shell",
        outcome: "never_started",
        input: { command },
        text: "This call never started.",
      },
    );
    expect(card()).toHaveTextContent("Not run: denied by Ada");
    expect(card()).toHaveTextContent("Not today");
    expect(card()).not.toHaveTextContent(/ ms|never started/);
  });

  it("shows the whole command, where it ran and its exit code", async () => {
    const text = "no\n[ended with exit code 3]";
    await push(start, runs, {
      type: "tool:end",
      callId,
      name: "shell",
      outcome: "failed",
      text,
      output: "no\n",
      durationMs: 12,
    });
    expect(within(card()).getByLabelText("Command").textContent).toBe(command);
    expect(within(card()).getByRole("button", { name: "Copy the command" })).toBeInTheDocument();
    expect(await within(card()).findByText("in /srv/app/src")).toBeInTheDocument();
    expect(within(card()).getAllByText("exit 3")).toHaveLength(2);
  });

  it("says how many lines are not shown, and opens the full log", async () => {
    const lines = Array.from({ length: 5_000 }, (_, at) => `line ${at} of the output\n`);
    await push(start, runs, { type: "tool:output", callId, text: lines.join("") });
    const shown = within(card()).getByLabelText("Output").textContent.split("\n");
    expect(shown[0]).toMatch(/^line \d+ of the output$/);
    const earlier = (5_001 - shown.length).toLocaleString("en");
    expect(card()).toHaveTextContent(`${earlier} earlier lines · Open full log`);
    fireEvent.click(screen.getByRole("button", { name: "Open full log" }));
    const log = screen.getByLabelText("Full log", { selector: "pre" });
    expect(log).toHaveTextContent("line 0 of the output");
    expect(log).toHaveTextContent("line 4999 of the output");
  });
});
