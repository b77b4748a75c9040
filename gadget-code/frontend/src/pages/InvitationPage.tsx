import type { AnswerOf } from "@gadget/api";
import { useEffect, useState } from "react";
import { Link } from "react-router";
import { AccountForm } from "../components/people/AccountForm.tsx";
import { fragmentCode } from "../components/people/fragment-code.ts";
import { GatePage } from "../components/shell/GatePage.tsx";
import { useServices } from "../lib/services.ts";
import { useAttempt } from "../lib/use-attempt.ts";

type Invitation = AnswerOf<"readInvitation">["invitation"];

/** Says who invites whom before it asks for anything. */
export function InvitationPage() {
  const { request } = useServices();
  const [code] = useState(() => fragmentCode());
  const [invitation, setInvitation] = useState<Invitation>();
  const { problem, attempt } = useAttempt({ inline: true });
  useEffect(() => {
    if (code === "") {
      return;
    }
    void attempt(async () => {
      setInvitation((await request("readInvitation", { body: { code } })).invitation);
    });
  }, [attempt, code, request]);
  const dead =
    code === ""
      ? "This invitation link is not complete. Copy the whole link that you were sent."
      : problem;
  return (
    <GatePage title="You are invited">
      {dead !== undefined && (
        <>
          <p role="alert" className="text-danger">
            {dead}
          </p>
          <Link to="/login" className="mt-3 inline-block text-accent underline">
            Sign in
          </Link>
        </>
      )}
      {invitation !== undefined && (
        <>
          <p className="text-muted">
            {invitation.invitedBy ?? "The owner"} invites you to Gadget Code as{" "}
            <b className="font-medium text-ink">{invitation.email}</b>. You will sign in with this
            address.
          </p>
          <AccountForm
            create={(name, password) =>
              request("acceptInvitation", { body: { code, name, password } })
            }
          />
        </>
      )}
    </GatePage>
  );
}
