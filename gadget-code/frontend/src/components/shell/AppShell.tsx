import { Suspense, useCallback, useState } from "react";
import { Outlet, useLocation } from "react-router";
import { useHotkeys } from "../../lib/use-hotkeys.ts";
import { useLiveDrones } from "../drones/use-live-drones.ts";
import { useCurrentProject } from "../projects/use-current-project.ts";
import { useNewSession } from "../sessions/use-new-session.ts";
import { readWidth, sidebarWidth } from "../ui/pane-width.ts";
import { ResizeHandle } from "../ui/ResizeHandle.tsx";
import { useSheet } from "../ui/use-sheet.ts";
import { BottomBar } from "./BottomBar.tsx";
import { LinkBanner } from "./LinkBanner.tsx";
import { Palette } from "./Palette.tsx";
import { ShortcutSheet } from "./ShortcutSheet.tsx";
import { Sidebar } from "./Sidebar.tsx";
import { useLiveLists } from "./use-live-lists.ts";
import { useTitleBadge } from "./use-title-badge.ts";
import { useTypingOnPhone } from "./use-typing-on-phone.ts";

/** The frame around every page behind the door. */
export function AppShell() {
  const [isSidebarOpen, setSidebarOpen] = useState(true);
  const [width, setWidth] = useState(() => readWidth(sidebarWidth));
  const [overlay, setOverlay] = useState<"palette" | "sheet">();
  const close = useCallback(() => setOverlay(undefined), []);
  const { pathname } = useLocation();
  const drawer = useSheet("sessions");
  const isTyping = useTypingOnPhone();
  const isInSession = pathname.startsWith("/sessions/");
  const newSession = useNewSession();
  const project = useCurrentProject();
  useLiveLists();
  useLiveDrones();
  useTitleBadge();

  useHotkeys({
    "mod+k": () => setOverlay("palette"),
    "mod+shift+o": () => (project === undefined ? setOverlay("palette") : newSession(project)),
    ...(!isInSession && { "mod+shift+f": () => setOverlay("palette") }),
    "mod+b": () => setSidebarOpen((isOpen) => !isOpen),
    "?": () => setOverlay("sheet"),
    f6: () => document.querySelector<HTMLElement>("[data-dock]")?.focus(),
  });

  return (
    <div className="flex h-full flex-col">
      <SkipLink isInSession={isInSession} />
      <LinkBanner />
      <div className="flex min-h-0 flex-1">
        {isSidebarOpen && (
          <div
            className="relative hidden shrink-0 border-r border-line bg-panel min-[720px]:block"
            style={{ width }}
          >
            <Sidebar onSearch={() => setOverlay("palette")}>
              <ResizeHandle
                pane={sidebarWidth}
                label="Width of the sidebar"
                side="right"
                width={width}
                onChange={setWidth}
              />
            </Sidebar>
          </div>
        )}
        {drawer.isOpen && (
          <div
            data-overlay
            className="fixed inset-x-0 top-0 bottom-14 z-30 bg-panel min-[720px]:hidden"
          >
            <Sidebar onSearch={() => setOverlay("palette")} />
          </div>
        )}
        <div className="flex min-w-0 flex-1 flex-col overflow-hidden">
          <Suspense
            fallback={
              <main id="content" className="m-auto p-6 text-muted">
                Loading…
              </main>
            }
          >
            <Outlet />
          </Suspense>
        </div>
      </div>
      {!isTyping && (
        <BottomBar
          isDrawerOpen={drawer.isOpen}
          onDrawer={drawer.isOpen ? drawer.close : drawer.open}
        />
      )}
      {overlay === "palette" && <Palette onClose={close} onSheet={() => setOverlay("sheet")} />}
      {overlay === "sheet" && <ShortcutSheet onClose={close} />}
    </div>
  );
}

/** For people who use the keyboard: past the sidebar, to what the page is for. */
function SkipLink({ isInSession }: { isInSession: boolean }) {
  return (
    <a href={isInSession ? "#message" : "#content"} className="skip-link">
      {isInSession ? "Skip to the composer" : "Skip to the content"}
    </a>
  );
}
