import { House, PanelLeft, Server, Settings } from "lucide-react";
import { NavLink } from "react-router";

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
      <NavLink to="/" end className={look}>
        <House aria-hidden="true" className="size-5" />
        Home
      </NavLink>
      <button type="button" aria-expanded={isDrawerOpen} className={look} onClick={onDrawer}>
        <PanelLeft aria-hidden="true" className="size-5" />
        Sessions
      </button>
      <NavLink to="/drones" className={look}>
        <Server aria-hidden="true" className="size-5" />
        Drones
      </NavLink>
      <NavLink to="/settings" className={look}>
        <Settings aria-hidden="true" className="size-5" />
        Settings
      </NavLink>
    </nav>
  );
}
