export interface PaneWidth {
  name: string;
  min: number;
  usual: number;
  max: number;
}

export const sidebarWidth: PaneWidth = { name: "sidebar", min: 180, usual: 256, max: 480 };
export const inspectorWidth: PaneWidth = { name: "inspector", min: 300, usual: 480, max: 900 };

const key = (pane: PaneWidth) => `gadget.width.${pane.name}`;

/** The width that this browser kept for a pane. */
export function readWidth(pane: PaneWidth): number {
  try {
    const stored = Number(localStorage.getItem(key(pane)) ?? pane.usual);
    return stored >= pane.min && stored <= pane.max ? stored : pane.usual;
  } catch {
    return pane.usual;
  }
}

export function storeWidth(pane: PaneWidth, width: number): void {
  try {
    localStorage.setItem(key(pane), String(width));
  } catch {
    // Storage is off: the width is forgotten with the page.
  }
}
