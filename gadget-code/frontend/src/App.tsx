import { lazy, Suspense } from "react";
import { BrowserRouter, Route, Routes } from "react-router";
import { SignedInOnly } from "./components/SignedInOnly.tsx";
import { Toaster } from "./components/Toaster.tsx";
import { NotFoundPage } from "./pages/NotFoundPage.tsx";

const ChatSessionView = lazy(async () => ({
  default: (await import("./pages/ChatSessionView.tsx")).ChatSessionView,
}));
const HomePage = lazy(async () => ({ default: (await import("./pages/HomePage.tsx")).HomePage }));
const LoginPage = lazy(async () => ({
  default: (await import("./pages/LoginPage.tsx")).LoginPage,
}));
const SetupPage = lazy(async () => ({
  default: (await import("./pages/SetupPage.tsx")).SetupPage,
}));

export function App() {
  return (
    <BrowserRouter>
      <Suspense fallback={<p className="m-auto p-6 text-muted">Loading…</p>}>
        <Routes>
          <Route path="/setup" element={<SetupPage />} />
          <Route path="/login" element={<LoginPage />} />
          <Route element={<SignedInOnly />}>
            <Route index element={<HomePage />} />
            <Route path="/sessions/:id" element={<ChatSessionView />} />
            <Route path="*" element={<NotFoundPage />} />
          </Route>
        </Routes>
      </Suspense>
      <Toaster />
    </BrowserRouter>
  );
}
