import type { OpenInvitation } from "@gadget/api";
import { useServices } from "../../lib/services.ts";
import { useAttempt } from "../../lib/use-attempt.ts";
import { useInvalidate, useRequest } from "../../lib/use-request.ts";
import { Button } from "../ui/Button.tsx";

const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

/** Invitations that nobody has used yet, with their end. */
export function Invitations() {
  const { request } = useServices();
  const invalidate = useInvalidate();
  const { attempt, isBusy } = useAttempt();
  const open = useRequest("listInvitations", {});
  const items = open.data?.items ?? [];
  if (items.length === 0) {
    return null;
  }
  const revoke = ({ id }: OpenInvitation): void => {
    void attempt(async () => {
      await request("deleteInvitation", { params: { id } });
      invalidate("listInvitations");
    });
  };
  return (
    <section className="flex flex-col gap-2">
      <h2 className="text-[13px] font-semibold text-muted">Invitations</h2>
      <ul className="card divide-y divide-line">
        {items.map((invitation) => (
          <li key={invitation.id} className="flex items-center gap-3 px-3.5 py-2">
            <span className="min-w-0 flex-1">
              <span title={invitation.email} className="block truncate font-medium">
                {invitation.email}
              </span>
              <span className="block text-xs text-faint">
                {invitation.invitedBy !== undefined && `Invited by ${invitation.invitedBy}. `}
                The link works until {day.format(new Date(invitation.expiresAt))}.
              </span>
            </span>
            <Button small disabled={isBusy} onClick={() => revoke(invitation)}>
              Revoke
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
