import {
  type MouseEvent,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { Button, type ButtonTone } from "../ui/Button.tsx";

export type PrimaryMode = "send" | "cancel" | "aborting";

/** Two taps within this time are a double tap: a touch screen counts them as single clicks. */
const doubleTapMs = 300;
/** A press that comes this soon after Cancel became Send again was still meant for Cancel. */
const lateCancelMs = 500;
const forceAfterMs = 5_000;

interface Props {
  mode: PrimaryMode;
  abortRequestedAt: string | undefined;
  canSend: boolean;
  onCancel: () => void;
  onForceStop: () => void;
  /** Cancel was meant, but the turn had ended, and a text stands there that would be sent. */
  onTooLate: () => void;
}

type Face = PrimaryMode | "force";

interface Press {
  face: Face;
  at: number;
}

const looks = {
  send: { label: "Send", tone: "primary" },
  cancel: { label: "Cancel", tone: "danger" },
  aborting: { label: "Aborting...", tone: "plain" },
  force: { label: "Force stop", tone: "danger" },
} as const satisfies Record<Face, { label: string; tone: ButtonTone }>;

/**
 * Send, Cancel, Aborting... and Force stop are one element in one place (rule A41): it never
 * moves and keeps its focus. Cancel is never swallowed. Ignored is only the second press of a
 * double click or double tap whose first press hit what the button was before: after Send that
 * would cancel, after a fast abort it would send.
 */
export function PrimaryButton(props: Props) {
  const { mode, abortRequestedAt, canSend, onCancel, onForceStop, onTooLate } = props;
  const mayForce = useForceStop(mode === "aborting", abortRequestedAt);
  const face = mode === "aborting" && mayForce ? "force" : mode;
  const shown = useRef<Face>(face);
  const endedAt = useRef(Number.NEGATIVE_INFINITY);
  const pressed = useRef<Press>(undefined);
  const isTouch = useRef(false);

  useLayoutEffect(() => {
    const endedByItself = shown.current === "cancel" && face === "send" && canSend;
    if (endedByItself) {
      endedAt.current = performance.now();
    }
    shown.current = face;
  }, [face, canSend]);

  const onClick = (event: MouseEvent): void => {
    const before = pressed.current;
    const now = performance.now();
    pressed.current = { face, at: now };
    if (isSecondPress(event, before, isTouch.current, now) && before?.face !== face) {
      event.preventDefault();
    } else if (face === "send" && now - endedAt.current < lateCancelMs) {
      event.preventDefault();
      endedAt.current = Number.NEGATIVE_INFINITY;
      onTooLate();
    } else if (face === "cancel") {
      onCancel();
    } else if (face === "force") {
      onForceStop();
    }
  };

  const { label, tone } = looks[face];
  return (
    <Button
      type={face === "send" ? "submit" : "button"}
      tone={tone}
      disabled={face === "aborting" || (face === "send" && !canSend)}
      onPointerDown={(event) => {
        isTouch.current = event.pointerType === "touch";
      }}
      onClick={onClick}
      className="min-w-24"
    >
      {label}
    </Button>
  );
}

/** Only presses on this button count: a double click may have begun elsewhere. */
function isSecondPress(
  { detail }: MouseEvent,
  before: Press | undefined,
  isTouch: boolean,
  now: number,
): boolean {
  if (before === undefined || detail === 0) {
    return false;
  }
  return isTouch ? now - before.at < doubleTapMs : detail === 2;
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
    if (!isAborting) {
      return;
    }
    const timer = setTimeout(() => setDue(true), left());
    return () => {
      clearTimeout(timer);
      setDue(false);
    };
  }, [isAborting]);
  return isAborting && isDue;
}
