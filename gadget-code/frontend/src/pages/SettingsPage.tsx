import { NavLink, Outlet, useLocation } from "react-router";
import { PageFrame } from "../components/shell/PageFrame.tsx";

const tabs: [string, string][] = [
  ["account", "Account"],
  ["providers", "Providers"],
  ["tokens", "API tokens"],
];

export function SettingsPage() {
  const { pathname } = useLocation();
  const tab = tabs.find(([path]) => pathname.endsWith(`/${path}`))?.[1];
  return (
    <PageFrame title="Settings" {...(tab && { tabTitle: `${tab} · Settings` })}>
      <nav aria-label="Settings" className="-mt-2 flex gap-1 border-b border-line">
        {tabs.map(([path, label]) => (
          <NavLink
            key={path}
            to={path}
            className="-mb-px border-b-2 border-transparent px-3 py-2 text-muted hover:text-ink aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-ink"
          >
            {label}
          </NavLink>
        ))}
      </nav>
      <Outlet />
    </PageFrame>
  );
}
