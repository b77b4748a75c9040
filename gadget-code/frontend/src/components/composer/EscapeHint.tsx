import { useSession } from "../../session/session-context.ts";

/** In the composer's border, where one looks; the line is always there, so that it is announced. */
export function EscapeHint() {
  const isArmed = useSession((state) => state.isEscapeArmed);
  return (
    <div aria-live="polite" className="pointer-events-none absolute -top-3 right-4 z-10">
      {isArmed && (
        <p
          role="status"
          className="rounded-full border border-yellow-line bg-yellow-soft px-2.5 text-xs leading-6 font-medium text-yellow"
        >
          Press Esc again to abort
        </p>
      )}
    </div>
  );
}
