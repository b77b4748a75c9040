import { createStore } from "zustand/vanilla";

export type ToastTone = "info" | "success" | "warning" | "error";

export interface Toast {
  id: string;
  tone: ToastTone;
  text: string;
  action?: ToastAction | undefined;
}

/** What can be done about it, as long as it is shown. */
export interface ToastAction {
  label: string;
  run: () => void;
}

interface ToastState {
  toasts: Toast[];
}

export const toastStore = createStore<ToastState>()(() => ({ toasts: [] }));

const timers = new Map<string, ReturnType<typeof setTimeout>>();
let last = 0;

export function dismissToast(id: string): void {
  clearTimeout(timers.get(id));
  timers.delete(id);
  toastStore.setState(({ toasts }) => ({ toasts: toasts.filter((toast) => toast.id !== id) }));
}

/** Shows a toast; one with the same id is replaced, and its time starts again. */
export function showToast(
  text: string,
  {
    id = `toast-${++last}`,
    tone = "info",
    ms,
    action,
  }: { id?: string; tone?: ToastTone; ms?: number; action?: ToastAction } = {},
): string {
  dismissToast(id);
  toastStore.setState(({ toasts }) => ({
    toasts: [...toasts.slice(-3), { id, tone, text, action }],
  }));
  timers.set(
    id,
    setTimeout(() => dismissToast(id), ms ?? (tone === "error" || action ? 8_000 : 4_000)),
  );
  return id;
}
