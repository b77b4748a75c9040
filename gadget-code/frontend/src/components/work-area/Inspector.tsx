import { useRef, useState } from "react";
import { inspectorWidth, readWidth } from "../ui/pane-width.ts";
import { ResizeHandle } from "../ui/ResizeHandle.tsx";
import { AgentsPane } from "./AgentsPane.tsx";
import { FilesPane } from "./FilesPane.tsx";
import { LogPane } from "./LogPane.tsx";
import { ReviewPane } from "./ReviewPane.tsx";

const panes = { Review: ReviewPane, Files: FilesPane, Agents: AgentsPane, Log: LogPane } as const;
type PaneName = keyof typeof panes;
const names: readonly PaneName[] = ["Review", "Files", "Agents", "Log"];

/** The container query below says the same. */
const narrow = 720;

/** Beside the chat, which keeps 420 px; where there is no room for both, over the timeline. */
export function Inspector({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState<PaneName>("Review");
  const [width, setWidth] = useState(() => readWidth(inspectorWidth));
  const Pane = panes[name];
  const aside = useRef<HTMLElement>(null);
  /** Where there is no room beside it, it lies over what it leads to. */
  const uncover = (): void => {
    const { width: room = narrow } = aside.current?.parentElement?.getBoundingClientRect() ?? {};
    if (room < narrow) {
      onClose();
    }
  };
  return (
    <aside
      ref={aside}
      aria-label="Inspector"
      style={{ width: `min(${width}px, 100cqw - 420px)` }}
      className="relative col-start-2 row-span-3 row-start-1 flex min-h-0 flex-col border-l border-line bg-canvas @max-[719px]:z-20 @max-[719px]:col-start-1 @max-[719px]:row-span-1 @max-[719px]:row-start-2 @max-[719px]:w-full!"
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
        <Pane onShow={uncover} />
      </div>
    </aside>
  );
}
