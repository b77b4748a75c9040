import { useState } from "react";
import { AccountForm } from "../components/AccountForm.tsx";
import { GatePage } from "../components/GatePage.tsx";
import { fragmentCode } from "../lib/fragment-code.ts";
import { useServices } from "../lib/services.ts";

export function InvitationPage() {
  const { request } = useServices();
  const [code] = useState(() => fragmentCode());
  return (
    <GatePage title="You are invited">
      <AccountForm
        isDisabled={code === ""}
        create={(name, password) => request("acceptInvitation", { body: { code, name, password } })}
      />
    </GatePage>
  );
}
