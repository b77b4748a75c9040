import { useState } from "react";
import { inspectorWidth, readWidth } from "../lib/pane-width.ts";
import { AgentsPane } from "./AgentsPane.tsx";
import { FilesPane } from "./FilesPane.tsx";
import { LogPane } from "./LogPane.tsx";
import { ResizeHandle } from "./ResizeHandle.tsx";
import { ReviewPane } from "./ReviewPane.tsx";

const panes = { Review: ReviewPane, Files: FilesPane, Agents: AgentsPane, Log: LogPane } as const;
type PaneName = keyof typeof panes;
const names: readonly PaneName[] = ["Review", "Files", "Agents", "Log"];

/** Beside the chat on a wide screen; over it on a narrow one. */
export function Inspector({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState<PaneName>("Review");
  const [width, setWidth] = useState(() => readWidth(inspectorWidth));
  const Pane = panes[name];
  return (
    <aside
      aria-label="Inspector"
      style={{ width: `min(${width}px, 100%)` }}
      className="relative flex shrink-0 flex-col border-l border-line bg-canvas max-[1099px]:absolute max-[1099px]:inset-y-0 max-[1099px]:right-0 max-[1099px]:z-20 max-[1099px]:shadow-2xl"
    >
      <ResizeHandle
        pane={inspectorWidth}
        label="Width of the inspector"
        side="left"
        width={width}
        onChange={setWidth}
      />
      <div className="flex h-11 shrink-0 items-center gap-1 border-b border-line px-2">
        {names.map((each) => (
          <button
            key={each}
            type="button"
            aria-pressed={each === name}
            className="rounded-md px-2.5 py-1 text-[13px] text-muted hover:text-ink aria-pressed:bg-hover aria-pressed:font-medium aria-pressed:text-ink"
            onClick={() => setName(each)}
          >
            {each}
          </button>
        ))}
        <button
          type="button"
          aria-label="Close the inspector"
          className="ml-auto rounded px-2 py-0.5 text-lg leading-none text-muted hover:bg-hover"
          onClick={onClose}
        >
          ×
        </button>
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto p-3">
        <Pane />
      </div>
    </aside>
  );
}
