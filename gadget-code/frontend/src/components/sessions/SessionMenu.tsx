import type { ChatSession } from "@gadget/api";
import { type FormEvent, type ReactNode, useState } from "react";
import { useLocation, useNavigate } from "react-router";
import { useServices } from "../../lib/services.ts";
import { textOf } from "../../lib/text-of.ts";
import { useAttempt } from "../../lib/use-attempt.ts";
import { useInvalidate } from "../../lib/use-request.ts";
import { Button } from "../ui/Button.tsx";
import { ConfirmDialog } from "../ui/ConfirmDialog.tsx";
import { Dialog } from "../ui/Dialog.tsx";
import { Field } from "../ui/Field.tsx";
import { FormFooter } from "../ui/FormFooter.tsx";
import { Menu, type MenuItem } from "../ui/Menu.tsx";

interface Props {
  session: ChatSession;
  label: string;
  /** What the menu offers beside renaming, archiving and deleting. */
  items?: readonly MenuItem[];
  children: ReactNode;
}

/** The menu of a session, wherever it is listed. */
export function SessionMenu({ session, label, items = [], children }: Props) {
  const { request } = useServices();
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const invalidate = useInvalidate();
  const { attempt } = useAttempt();
  const [dialog, setDialog] = useState<"rename" | "remove">();
  const close = () => setDialog(undefined);
  const params = { id: session.id };
  const leave = async () => {
    invalidate("listSessions", "listProjectSessions");
    if (pathname === `/sessions/${session.id}`) {
      await navigate("/");
    }
  };
  const archive = () =>
    attempt(async () => {
      const archived = session.archived !== true;
      await request("updateSession", { params, body: { archived } });
      if (archived) {
        await leave();
      } else {
        invalidate("listSessions", "listProjectSessions");
      }
    });
  const remove = () =>
    attempt(async () => {
      await request("deleteSession", { params });
      await leave();
    });
  return (
    <>
      <Menu
        label={label}
        items={[
          ...items,
          { label: "Rename", onSelect: () => setDialog("rename") },
          { label: session.archived ? "Restore" : "Archive", onSelect: () => void archive() },
          { label: "Delete session", isDanger: true, onSelect: () => setDialog("remove") },
        ]}
      >
        {children}
      </Menu>
      {dialog === "rename" && <RenameDialog session={session} onClose={close} />}
      {dialog === "remove" && (
        <ConfirmDialog
          title={`Delete “${session.title}”?`}
          verb="Delete"
          onConfirm={() => void remove()}
          onClose={close}
        >
          Its turns are deleted too. Files in the workspace stay.
        </ConfirmDialog>
      )}
    </>
  );
}

function RenameDialog({ session, onClose }: { session: ChatSession; onClose: () => void }) {
  const { request } = useServices();
  const invalidate = useInvalidate();
  const { isBusy, problem, attempt } = useAttempt({ inline: true });
  const onSubmit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const title = textOf(new FormData(event.currentTarget), "title");
    void attempt(async () => {
      await request("updateSession", { params: { id: session.id }, body: { title } });
      invalidate("listSessions", "listProjectSessions");
      onClose();
    });
  };
  return (
    <Dialog title="Rename the session" onClose={onClose}>
      <form onSubmit={onSubmit} className="flex flex-col gap-4">
        <Field
          label="Title"
          name="title"
          defaultValue={session.title}
          required
          maxLength={200}
          autoFocus
          onFocus={(event) => event.currentTarget.select()}
        />
        <FormFooter problem={problem} place="end">
          <Button onClick={onClose}>Keep the old title</Button>
          <Button type="submit" tone="primary" disabled={isBusy}>
            Rename
          </Button>
        </FormFooter>
      </form>
    </Dialog>
  );
}
