import {
  type MouseEvent,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { Button, type ButtonTone } from "./Button.tsx";

export type PrimaryMode = "send" | "cancel" | "aborting";

export const swapGuardMs = 500;
const forceAfterMs = 5_000;

interface Props {
  mode: PrimaryMode;
  abortRequestedAt: string | undefined;
  canSend: boolean;
  onCancel: () => void;
  onForceStop: () => void;
}

const looks = {
  send: { label: "Send", tone: "primary" },
  cancel: { label: "Cancel", tone: "danger" },
  aborting: { label: "Aborting...", tone: "plain" },
  force: { label: "Force stop", tone: "danger" },
} as const satisfies Record<string, { label: string; tone: ButtonTone }>;

/**
 * Send, Cancel, Aborting... and Force stop are one element in one place (rule A41): it never
 * moves and keeps its focus. After each swap it ignores the mouse for half a second, so that
 * a double click on what it was can't hit what it became, and a click on Cancel that comes too
 * late sends nothing. After an abort nobody aims at Cancel: there only the second click of a
 * double click is ignored, so that a prompt may follow at once.
 */
export function PrimaryButton({ mode, abortRequestedAt, canSend, onCancel, onForceStop }: Props) {
  const mayForce = useForceStop(mode === "aborting", abortRequestedAt);
  const face = mode === "aborting" && mayForce ? "force" : mode;
  const swappedAt = useRef(Number.NEGATIVE_INFINITY);
  const shown = useRef(face);
  const isAfterAbort = useRef(false);

  useLayoutEffect(() => {
    if (shown.current === face) return;
    isAfterAbort.current = face === "send" && shown.current !== "cancel";
    shown.current = face;
    swappedAt.current = performance.now();
  }, [face]);

  const onClick = (event: MouseEvent): void => {
    const isFresh = performance.now() - swappedAt.current < swapGuardMs;
    if (isFresh && (!isAfterAbort.current || event.detail > 1)) event.preventDefault();
    else if (face === "cancel") onCancel();
    else if (face === "force") onForceStop();
  };

  const { label, tone } = looks[face];
  return (
    <Button
      type={face === "send" ? "submit" : "button"}
      tone={tone}
      disabled={face === "aborting" || (face === "send" && !canSend)}
      onClick={onClick}
      className="min-w-24"
    >
      {label}
    </Button>
  );
}

/** True once an abort has lasted five seconds, also where it began before the page was opened. */
function useForceStop(isAborting: boolean, abortRequestedAt: string | undefined): boolean {
  const [isDue, setDue] = useState(false);
  // The two clocks may differ: what is left is never more than the whole wait, never less than 0.
  const left = useEffectEvent(() => {
    const passed = abortRequestedAt === undefined ? 0 : Date.now() - Date.parse(abortRequestedAt);
    return Math.min(forceAfterMs, Math.max(0, forceAfterMs - passed));
  });
  useEffect(() => {
    if (!isAborting) return;
    const timer = setTimeout(() => setDue(true), left());
    return () => {
      clearTimeout(timer);
      setDue(false);
    };
  }, [isAborting]);
  return isAborting && isDue;
}
