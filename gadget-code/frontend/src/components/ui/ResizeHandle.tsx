import { type KeyboardEvent, type PointerEvent, useState } from "react";
import { type PaneWidth, storeWidth } from "./pane-width.ts";

interface Props {
  pane: PaneWidth;
  label: string;
  width: number;
  onChange: (width: number) => void;
  /** The side of the pane on which the handle is. */
  side: "left" | "right";
}

const stepPx = 16;

/** The edge of a pane: dragged, moved by arrow keys, and put back by a double click. */
export function ResizeHandle({ pane, label, width, onChange, side }: Props) {
  const [from, setFrom] = useState<{ x: number; width: number }>();
  const outwards = side === "right" ? 1 : -1;
  const clamp = (to: number) => Math.round(Math.min(pane.max, Math.max(pane.min, to)));
  const keep = (to: number): void => {
    onChange(clamp(to));
    storeWidth(pane, clamp(to));
  };
  const onPointerDown = (event: PointerEvent<HTMLDivElement>): void => {
    event.preventDefault();
    event.currentTarget.setPointerCapture(event.pointerId);
    setFrom({ x: event.clientX, width });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowLeft: -stepPx, ArrowRight: stepPx }[event.key];
    if (step === undefined) {
      return;
    }
    event.preventDefault();
    keep(width + step * outwards);
  };
  return (
    <div
      role="separator"
      aria-label={label}
      aria-orientation="vertical"
      aria-valuenow={width}
      aria-valuemin={pane.min}
      aria-valuemax={pane.max}
      tabIndex={0}
      className={`absolute inset-y-0 z-10 w-1.5 cursor-col-resize touch-none hover:bg-accent/40 focus-visible:bg-accent ${side === "right" ? "-right-[3px]" : "-left-[3px]"} ${from ? "bg-accent/60" : ""}`}
      onPointerDown={onPointerDown}
      onPointerMove={(event) => {
        if (from) {
          onChange(clamp(from.width + (event.clientX - from.x) * outwards));
        }
      }}
      onLostPointerCapture={() => {
        setFrom(undefined);
        storeWidth(pane, width);
      }}
      onKeyDown={onKeyDown}
      onDoubleClick={() => keep(pane.usual)}
    />
  );
}
