import { Link } from "react-router";
import { usePageTitle } from "../components/shell/use-page-title.ts";

export function NotFoundPage() {
  usePageTitle("There is no such page");
  return (
    <main
      id="content"
      tabIndex={-1}
      className="m-auto flex max-w-md flex-col gap-3 p-6 text-center"
    >
      <h1 className="text-lg font-semibold">There is no such page</h1>
      <p className="text-muted">The address may be mistyped, or what it led to was removed.</p>
      <Link to="/" className="text-accent underline">
        Back to all sessions
      </Link>
    </main>
  );
}
