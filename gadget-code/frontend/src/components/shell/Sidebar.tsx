import { Plus, Search, Users } from "lucide-react";
import type { ReactNode } from "react";
import { Link, NavLink } from "react-router";
import { useUser } from "../../lib/auth.ts";
import { modKey } from "../../lib/mod-key.ts";
import { useRequest } from "../../lib/use-request.ts";
import { DroneDot, useDroneWord } from "../drones/DroneDot.tsx";
import { useDroneLabel } from "../drones/use-drone-label.ts";
import { useCurrentProject } from "../projects/use-current-project.ts";
import { useNewSession } from "../sessions/use-new-session.ts";
import { MainLink } from "./MainLink.tsx";
import { mainPages } from "./main-pages.ts";
import { SidebarSessions } from "./SidebarSessions.tsx";

const row =
  "flex items-center gap-2.5 rounded-md px-2 py-1 text-[13px] text-muted hover:bg-hover hover:text-ink aria-[current=page]:bg-hover aria-[current=page]:text-ink";

export function Sidebar({ onSearch, children }: { onSearch: () => void; children?: ReactNode }) {
  const user = useUser();
  return (
    <aside aria-label="Sidebar" className="flex h-full flex-col">
      <div className="flex h-11 shrink-0 items-center px-3">
        <Link to="/" className="flex items-center gap-2 rounded font-semibold">
          <img src="/favicon.svg" alt="" className="size-5" />
          Gadget Code
        </Link>
      </div>
      <nav aria-label="Main" className="flex flex-col gap-px px-2 pb-2">
        <NewSession />
        <button type="button" className={row} onClick={onSearch}>
          <Search aria-hidden="true" className="size-4" />
          <span className="flex-1 text-left">Search</span>
          <kbd className="font-sans text-xs text-faint">{modKey} K</kbd>
        </button>
        {Object.values(mainPages).map((page) => (
          <MainLink key={page.to} page={page} className={row} iconSize="size-4" />
        ))}
        {user.role === "owner" && (
          <NavLink to="/admin" className={row}>
            <Users aria-hidden="true" className="size-4" />
            Members
          </NavLink>
        )}
      </nav>
      <div className="min-h-0 flex-1 overflow-y-auto px-2 pb-2">
        <SidebarSessions />
      </div>
      <DroneStrip />
      {children}
    </aside>
  );
}

function NewSession() {
  const projectId = useCurrentProject();
  const projects = useRequest("listProjects", {});
  const start = useNewSession();
  const project = projects.data?.items.find(({ id }) => id === projectId);
  const name = project === undefined ? "New session" : `New session in ${project.name}`;
  // It is there before its project is known, so that nothing below it moves.
  return (
    <button
      type="button"
      className={`${row} text-ink disabled:text-faint`}
      disabled={project === undefined}
      aria-label={name}
      title={`${name} (${modKey} Shift O)`}
      onClick={() => project && start(project.id)}
    >
      <Plus aria-hidden="true" className="size-4" />
      New session
    </button>
  );
}

function DroneStrip() {
  const droneWord = useDroneWord();
  const droneLabel = useDroneLabel();
  const drones = useRequest("listDrones", {});
  if (drones.data === undefined || drones.data.items.length === 0) {
    return null;
  }
  return (
    <ul aria-label="Drones" className="max-h-32 overflow-y-auto border-t border-line px-2 py-1.5">
      {drones.data.items.map((drone) => (
        <li key={drone.id}>
          <Link
            to={`/drones/${drone.id}`}
            title={`${droneLabel(drone)} ${droneWord(drone)}`}
            className={row}
          >
            <DroneDot drone={drone} />
            <span className="max-w-[70%] shrink-0 truncate">{droneLabel(drone)}</span>
            <span className="min-w-0 flex-1 truncate text-right text-xs text-faint">
              {droneWord(drone)}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
