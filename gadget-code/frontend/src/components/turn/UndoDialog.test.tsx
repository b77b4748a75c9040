import type { UndoResult } from "@gadget/api";
import { fireEvent, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { toastStore } from "../../lib/toast.ts";
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

  afterEach(() => toastStore.setState({ toasts: [] }));

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

  it("offers the way back beside the word that it was done", async () => {
    await show({ restored: [gone] });
    await screen.findByRole("heading", { name: "Delete notes/hello.md?" });
    fireEvent.click(screen.getByRole("button", { name: "Undo" }));
    const redo = await screen.findByRole("button", { name: "Redo" });
    server.request.mockResolvedValue({
      preview: false,
      restored: [{ ...gone, file: { ...gone.file, change: "created" } }],
      skipped: [],
      redo: true,
    } as never);
    fireEvent.click(redo);
    expect(await screen.findByText("notes/hello.md was created.")).toBeInTheDocument();
    expect(screen.queryByRole("button", { name: "Redo" })).toBeNull();
    expect(server.request.mock.lastCall).toEqual([
      "undoTurn",
      { params: { id: turnId }, body: {} },
    ]);
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
