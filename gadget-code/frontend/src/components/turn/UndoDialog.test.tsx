import type { UndoResult } from "@gadget/api";
import { fireEvent, screen } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { FakeServer } from "../../test/fake-server.ts";
import { renderSession } from "../../test/render-session.tsx";
import { turnId } from "../../test/samples.ts";
import { UndoDialog } from "./UndoDialog.tsx";

const diff = "@@ -1 +0,0 @@\n-hello\n";
const gone = {
  file: { path: "notes/hello.md", change: "deleted", added: 0, removed: 1 },
  diff,
} as const;
const back = {
  file: { path: "src/app.ts", change: "modified", added: 0, removed: 1 },
  diff,
} as const;

describe("what an undo says", () => {
  let server: FakeServer;

  beforeEach(() => {
    server = new FakeServer();
    HTMLDialogElement.prototype.showModal = function showModal() {
      this.open = true;
    };
  });

  const show = async (result: Partial<UndoResult>) => {
    const answer = { preview: true, restored: [], skipped: [], redo: false, ...result };
    server.request.mockImplementation(async (name) => {
      if (name !== "undoTurn") {
        throw new Error(`${name} is not expected`);
      }
      return answer as never;
    });
    await renderSession(server, <UndoDialog turnId={turnId} onClose={() => {}} />);
  };

  it("asks by the name of the file that it deletes, and tells that it was", async () => {
    await show({ restored: [gone] });
    await screen.findByRole("heading", { name: "Delete notes/hello.md?" });
    fireEvent.click(screen.getByRole("button", { name: "Undo" }));
    expect(await screen.findByText("notes/hello.md was deleted.")).toBeInTheDocument();
  });

  it("counts where there are more", async () => {
    await show({ restored: [gone, back] });
    await screen.findByRole("heading", { name: "Undo changes" });
    fireEvent.click(screen.getByRole("button", { name: "Undo" }));
    expect(await screen.findByText("2 files undone.")).toBeInTheDocument();
  });

  it("gives the reason for a file that stays, in one sentence", async () => {
    await show({ skipped: [{ path: "src/app.ts", reason: "It was edited since." }] });
    expect(await screen.findByText("src/app.ts is left alone: it was edited since.")).toBeVisible();
  });
});
