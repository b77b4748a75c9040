import { type ComponentType, lazy, Suspense } from "react";
import { BrowserRouter, Navigate, Route, Routes } from "react-router";
import { AppShell } from "./components/shell/AppShell.tsx";
import { SignedInOnly } from "./components/shell/SignedInOnly.tsx";
import { FirstLook } from "./components/ui/FirstLook.tsx";
import { Toaster } from "./components/ui/Toaster.tsx";
import { NotFoundPage } from "./pages/NotFoundPage.tsx";

/** A page that is fetched when it is first shown. */
function page<Name extends string>(load: () => Promise<Record<Name, ComponentType>>, name: Name) {
  return lazy(async () => ({ default: (await load())[name] }));
}

const loadSessionView = () => import("./pages/ChatSessionView.tsx");
// Most visits lead to a session: its page is fetched while the server says who is there.
if (location.pathname.startsWith("/sessions/")) {
  void loadSessionView();
}

const ChatSessionView = page(loadSessionView, "ChatSessionView");
const HomePage = page(() => import("./pages/HomePage.tsx"), "HomePage");
const ProjectPage = page(() => import("./pages/ProjectPage.tsx"), "ProjectPage");
const DronesPage = page(() => import("./pages/DronesPage.tsx"), "DronesPage");
const DronePage = page(() => import("./pages/DronePage.tsx"), "DronePage");
const SettingsPage = page(() => import("./pages/SettingsPage.tsx"), "SettingsPage");
const AccountSettings = page(() => import("./pages/AccountSettings.tsx"), "AccountSettings");
const ProviderSettings = page(() => import("./pages/ProviderSettings.tsx"), "ProviderSettings");
const TokenSettings = page(() => import("./pages/TokenSettings.tsx"), "TokenSettings");
const AdminPage = page(() => import("./pages/AdminPage.tsx"), "AdminPage");
const LoginPage = page(() => import("./pages/LoginPage.tsx"), "LoginPage");
const SetupPage = page(() => import("./pages/SetupPage.tsx"), "SetupPage");
const WelcomePage = page(() => import("./pages/WelcomePage.tsx"), "WelcomePage");
const InvitationPage = page(() => import("./pages/InvitationPage.tsx"), "InvitationPage");

export function App() {
  return (
    <BrowserRouter>
      <Suspense fallback={<FirstLook />}>
        <Routes>
          <Route path="/setup" element={<SetupPage />} />
          <Route path="/login" element={<LoginPage />} />
          <Route path="/invitation" element={<InvitationPage />} />
          <Route element={<SignedInOnly />}>
            <Route path="/welcome" element={<WelcomePage />} />
            <Route element={<AppShell />}>
              <Route index element={<HomePage />} />
              <Route path="/projects/:id" element={<ProjectPage />} />
              <Route path="/sessions/:id" element={<ChatSessionView />} />
              <Route path="/drones" element={<DronesPage />} />
              <Route path="/drones/:id" element={<DronePage />} />
              <Route path="/settings" element={<SettingsPage />}>
                <Route index element={<Navigate to="account" replace />} />
                <Route path="account" element={<AccountSettings />} />
                <Route path="providers" element={<ProviderSettings />} />
                <Route path="tokens" element={<TokenSettings />} />
              </Route>
              <Route path="/admin" element={<AdminPage />} />
              <Route path="*" element={<NotFoundPage />} />
            </Route>
          </Route>
        </Routes>
      </Suspense>
      <Toaster />
    </BrowserRouter>
  );
}
