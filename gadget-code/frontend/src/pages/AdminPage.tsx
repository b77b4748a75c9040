import type { Invitation, Member } from "@gadget/api";
import { type FormEvent, useState } from "react";
import { Invitations } from "../components/people/Invitations.tsx";
import { PageFrame } from "../components/shell/PageFrame.tsx";
import { Button } from "../components/ui/Button.tsx";
import { ConfirmDialog } from "../components/ui/ConfirmDialog.tsx";
import { CopyButton } from "../components/ui/CopyButton.tsx";
import { Field } from "../components/ui/Field.tsx";
import { Loading } from "../components/ui/Loading.tsx";
import { useUser } from "../lib/auth.ts";
import { useServices } from "../lib/services.ts";
import { textOf } from "../lib/text-of.ts";
import { useAttempt } from "../lib/use-attempt.ts";
import { useInvalidate, useRequest } from "../lib/use-request.ts";

export function AdminPage() {
  const members = useRequest("listMembers", {});
  return (
    <PageFrame title="Members">
      <Invite />
      <Invitations />
      <Loading of={members}>
        {({ items }) => (
          <ul className="card divide-y divide-line">
            {items.map((member) => (
              <MemberRow key={member.id} member={member} />
            ))}
          </ul>
        )}
      </Loading>
    </PageFrame>
  );
}

function Invite() {
  const { request } = useServices();
  const { isBusy, problem, attempt } = useAttempt({ inline: true });
  const invalidate = useInvalidate();
  const [invitation, setInvitation] = useState<Invitation>();

  const onSubmit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const element = event.currentTarget;
    void attempt(async () => {
      const email = textOf(new FormData(element), "email");
      setInvitation((await request("inviteMember", { body: { email } })).invitation);
      element.reset();
      invalidate("listInvitations");
    });
  };

  return (
    <section className="flex flex-col gap-3">
      <form onSubmit={onSubmit} className="flex max-w-lg items-end gap-2">
        <div className="flex-1">
          <Field label="Invite" name="email" type="email" required placeholder="Their email" />
        </div>
        <Button type="submit" tone="primary" disabled={isBusy} className="h-[37px]">
          Create invite link
        </Button>
      </form>
      {problem && (
        <p role="alert" className="text-[13px] text-danger">
          {problem}
        </p>
      )}
      {invitation && (
        <div role="status" className="card flex max-w-lg flex-col gap-2 p-3.5">
          <p className="text-[13px] text-muted">
            Send this link to {invitation.email}. It works once.
          </p>
          <div className="flex items-center gap-2">
            <code className="min-w-0 flex-1 font-mono text-xs break-all">{invitation.url}</code>
            <CopyButton text={invitation.url} />
          </div>
        </div>
      )}
    </section>
  );
}

function MemberRow({ member }: { member: Member }) {
  const { request } = useServices();
  const user = useUser();
  const invalidate = useInvalidate();
  const { attempt } = useAttempt();
  const [isRemoving, setRemoving] = useState(false);
  const remove = () =>
    attempt(async () => {
      await request("deleteMember", { params: { id: member.id } });
      invalidate("listMembers");
    });
  return (
    <li className="flex items-center gap-3 px-3.5 py-2">
      <span className="min-w-0 flex-1">
        <span title={member.name} className="block truncate font-medium">
          {member.name}
        </span>
        <span title={member.email} className="block truncate text-xs text-faint">
          {member.email}
        </span>
      </span>
      <span className="text-[13px] text-muted">{member.role}</span>
      {member.id !== user.id && (
        <Button small onClick={() => setRemoving(true)}>
          Remove
        </Button>
      )}
      {isRemoving && (
        <ConfirmDialog
          title={`Remove ${member.name}?`}
          verb="Remove"
          onConfirm={() => void remove()}
          onClose={() => setRemoving(false)}
        >
          Their sign-ins and tokens end at once, with all that they run on any drone.
        </ConfirmDialog>
      )}
    </li>
  );
}
