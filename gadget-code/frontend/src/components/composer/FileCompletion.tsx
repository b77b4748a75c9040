import type { FoundFile } from "@gadget/api";
import { File, Folder } from "lucide-react";

interface Props {
  choices: readonly FoundFile[];
  at: number;
  words: string;
  onChoose: (file: FoundFile) => void;
}

/** The list above the textbox; the keys are the textbox's own. It takes Esc to close. */
export function FileCompletion({ choices, at, words, onChoose }: Props) {
  return (
    <div data-overlay className="mx-2 mt-2 rounded-lg border border-line bg-canvas p-1">
      {choices.length > 0 && (
        <ul id="file-choices" role="listbox" aria-label="Files">
          {choices.map((file, index) => {
            const Icon = file.kind === "folder" ? Folder : File;
            return (
              <li
                key={file.path}
                id={`file-choice-${index}`}
                role="option"
                aria-selected={index === at}
                className="flex cursor-pointer items-center gap-2 rounded-md px-2 py-1 text-[13px] aria-selected:bg-hover"
                // The press would take the focus from the textbox.
                onPointerDown={(event) => {
                  event.preventDefault();
                  onChoose(file);
                }}
              >
                <Icon aria-hidden="true" className="size-3.5 shrink-0 text-faint" />
                <span className="truncate">{file.path}</span>
              </li>
            );
          })}
        </ul>
      )}
      {words !== "" && (
        <p aria-hidden="true" className="px-2 py-1 text-xs text-muted">
          {words}
        </p>
      )}
    </div>
  );
}
