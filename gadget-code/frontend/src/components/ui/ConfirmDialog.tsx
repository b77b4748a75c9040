import type { ReactNode } from "react";
import { Button } from "./Button.tsx";
import { Dialog } from "./Dialog.tsx";

interface Props {
  title: string;
  verb: string;
  onConfirm: () => void;
  onClose: () => void;
  children: ReactNode;
}

export function ConfirmDialog({ title, verb, onConfirm, onClose, children }: Props) {
  return (
    <Dialog title={title} onClose={onClose}>
      <p className="text-muted">{children}</p>
      <div className="mt-5 flex justify-end gap-2">
        <Button onClick={onClose}>Keep</Button>
        <Button
          tone="danger"
          onClick={() => {
            onConfirm();
            onClose();
          }}
        >
          {verb}
        </Button>
      </div>
    </Dialog>
  );
}
