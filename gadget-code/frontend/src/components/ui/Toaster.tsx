import { useStore } from "zustand";
import { dismissToast, type ToastTone, toastStore } from "../../lib/toast.ts";

const edges: Record<ToastTone, string> = {
  info: "border-l-blue",
  success: "border-l-green",
  warning: "border-l-orange",
  error: "border-l-danger",
};

/**
 * The list is always there, so that what is put into it is announced. It stands where text is read,
 * under the header, and presses go through it to what it covers.
 */
export function Toaster() {
  const toasts = useStore(toastStore, (state) => state.toasts);
  return (
    <div
      className="pointer-events-none fixed inset-x-3 top-[4.75rem] z-50 flex flex-col items-center gap-2 md:top-12"
      aria-live="polite"
    >
      {toasts.map(({ id, tone, text, action }) => (
        <div
          key={id}
          role="status"
          className={`flex max-w-md items-start gap-3 rounded-lg border border-l-4 border-line bg-raised py-2 pr-2 pl-3 text-[13px] shadow-lg ${edges[tone]}`}
        >
          <span className="py-0.5">{text}</span>
          {action && (
            <button
              type="button"
              className="pointer-events-auto rounded px-1.5 py-0.5 font-medium text-accent hover:underline"
              onClick={() => {
                dismissToast(id);
                action.run();
              }}
            >
              {action.label}
            </button>
          )}
          <button
            type="button"
            aria-label="Dismiss"
            className="pointer-events-auto rounded px-1.5 text-base leading-6 text-faint hover:bg-hover hover:text-ink"
            onClick={() => dismissToast(id)}
          >
            ×
          </button>
        </div>
      ))}
    </div>
  );
}
