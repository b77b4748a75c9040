import { act, fireEvent, screen } from "@testing-library/react";
import { useState } from "react";
import { beforeEach, describe, expect, it } from "vitest";
import { useFinding } from "../../lib/use-finding.ts";
import { FakeServer } from "../../test/fake-server.ts";
import { renderSession } from "../../test/render-session.tsx";
import { session, turnId } from "../../test/samples.ts";
import { Composer } from "../composer/Composer.tsx";
import { FindBar } from "../timeline/FindBar.tsx";
import { Palette } from "./Palette.tsx";

const excerpt = `${"word ".repeat(16)}where the zanzibar stands, and more after it`;

function Finding() {
  const { isOpen, words } = useFinding();
  const none = { current: null };
  if (!isOpen) {
    return null;
  }
  return <FindBar first={words} content={none} show={() => {}} onClose={() => {}} />;
}

describe("the palette", () => {
  let server: FakeServer;

  beforeEach(async () => {
    server = new FakeServer();
    // The browser of these tests lays nothing out, and has no modal dialogs.
    HTMLElement.prototype.scrollIntoView = () => {};
    HTMLDialogElement.prototype.showModal = function showModal() {
      this.open = true;
    };
    const hit = { sessionId: session.id, turnId, title: "A session", excerpt };
    server.request.mockImplementation(
      async (name) => ({ items: name === "search" ? [hit] : [], nextCursor: null }) as never,
    );
    await renderSession(
      server,
      <>
        <Palette onClose={() => {}} onSheet={() => {}} />
        <Finding />
      </>,
    );
  });

  const type = (value: string) =>
    act(async () => fireEvent.change(screen.getByRole("combobox"), { target: { value } }));

  it("keeps the words that were found in sight, and marks them", async () => {
    await type("Zanzibar");
    const option = await screen.findByRole("option");
    expect(option.textContent).toMatch(/^….{24}zanzibar stands/);
    expect(option.querySelector("mark")).toHaveTextContent("zanzibar");
  });

  it("has the session mark the words to which it leads", async () => {
    await type("zanzibar");
    fireEvent.click(await screen.findByRole("option"));
    expect(await screen.findByLabelText("Find in this session")).toHaveValue("zanzibar");
  });

  it("leads an owner to the members", async () => {
    await type("memb");
    expect(await screen.findByRole("option", { name: /^Members/ })).toHaveTextContent("Page");
  });
});

describe("the palette in a session", () => {
  it("finds its files, and names the chosen one in the composer", async () => {
    const server = new FakeServer();
    HTMLElement.prototype.scrollIntoView = () => {};
    HTMLDialogElement.prototype.showModal = function showModal() {
      this.open = true;
    };
    const items = [
      { path: "src/zanzibar", kind: "folder" },
      { path: "src/zanzibar/map.ts", kind: "file" },
    ];
    const asked: unknown[] = [];
    server.request.mockImplementation(async (name, options) => {
      if (name === "findFiles") {
        asked.push(options);
      }
      return { items: name === "findFiles" ? items : [], nextCursor: null } as never;
    });
    const Page = () => {
      const [isOpen, setOpen] = useState(true);
      return (
        <>
          <Composer />
          {isOpen && <Palette onClose={() => setOpen(false)} onSheet={() => {}} />}
        </>
      );
    };
    await renderSession(server, <Page />, `/sessions/${session.id}`);
    const message = screen.getByRole("textbox", { name: "Message" });
    fireEvent.change(message, { target: { value: "Look at" } });
    const find = screen.getByRole("combobox");
    await act(async () => fireEvent.change(find, { target: { value: "zanz" } }));
    const option = await screen.findByRole("option");
    expect(option).toHaveTextContent("src/zanzibar/map.tsFile");
    expect(asked).toEqual([
      expect.objectContaining({ params: { id: session.id }, query: { q: "zanz" } }),
    ]);
    fireEvent.keyDown(find, { key: "Enter" });
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(message).toHaveValue("Look at @src/zanzibar/map.ts ");
    expect(message).toHaveFocus();
  });
});
