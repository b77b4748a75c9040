import { render } from "@testing-library/react";
import { MemoryRouter } from "react-router";
import { expect, it } from "vitest";
import { NotFoundPage } from "./NotFoundPage.tsx";

it("a page that is not there says so in the tab, too", () => {
  const { unmount } = render(<NotFoundPage />, { wrapper: MemoryRouter });
  expect(document.title).toBe("There is no such page · Gadget Code");
  unmount();
  expect(document.title).toBe("Gadget Code");
});
