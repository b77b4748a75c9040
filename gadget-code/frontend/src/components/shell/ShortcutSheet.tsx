import { modKey } from "../../lib/mod-key.ts";
import { Dialog } from "../ui/Dialog.tsx";

const keys: [string, string][] = [
  ["Esc Esc", "Cancel the running turn"],
  ["Ctrl .", "Cancel the running turn"],
  ["Enter", "Send; while a turn runs, queue"],
  ["Ctrl Enter", "Steer the running turn"],
  ["Shift Enter", "New line"],
  ["Ctrl K", "Find a session, a file, a page, an action"],
  ["Ctrl Shift F", "Find in the session; elsewhere, in all chats"],
  ["Ctrl Shift O", "New session in the same project"],
  ["Ctrl B", "Show or hide the sidebar"],
  ["Ctrl J", "Show or hide the inspector"],
  ["F6", "Go to the open question or approval"],
  ["?", "This sheet"],
];

export function ShortcutSheet({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-2">
        {keys.map(([key, what]) => (
          <div key={key} className="contents">
            <dt>
              <kbd className="rounded border border-line-strong bg-panel px-1.5 py-0.5 font-sans text-xs">
                {key.replace("Ctrl", modKey)}
              </kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
