import { PanelLeft } from "lucide-react";
import { MainLink } from "./MainLink.tsx";
import { mainPages } from "./main-pages.ts";

const look =
  "flex flex-1 flex-col items-center justify-center gap-0.5 text-[11px] text-muted aria-[current=page]:text-accent aria-expanded:text-accent";

/** On a phone, where there is no sidebar. */
export function BottomBar({
  isDrawerOpen,
  onDrawer,
}: {
  isDrawerOpen: boolean;
  onDrawer: () => void;
}) {
  return (
    <nav
      aria-label="Main"
      className="flex h-14 shrink-0 border-t border-line bg-panel pb-[env(safe-area-inset-bottom)] min-[720px]:hidden"
    >
      <MainLink page={mainPages.home} className={look} iconSize="size-5" />
      <button type="button" aria-expanded={isDrawerOpen} className={look} onClick={onDrawer}>
        <PanelLeft aria-hidden="true" className="size-5" />
        Sessions
      </button>
      {[mainPages.drones, mainPages.settings].map((page) => (
        <MainLink key={page.to} page={page} className={look} iconSize="size-5" />
      ))}
    </nav>
  );
}
