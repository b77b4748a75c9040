import type { AnswerOf } from "@gadget/api";
import { useEffect, useState } from "react";
import { useServices } from "../../lib/services.ts";
import { useAttempt } from "../../lib/use-attempt.ts";
import { useInvalidate, useRequest } from "../../lib/use-request.ts";
import { Button } from "../ui/Button.tsx";
import { CopyButton } from "../ui/CopyButton.tsx";
import { Dialog } from "../ui/Dialog.tsx";

/** Shows the one command to paste, and says so when the drone has arrived. */
export function AddDroneDialog({ onClose }: { onClose: () => void }) {
  const { request } = useServices();
  const invalidate = useInvalidate();
  const { problem, attempt } = useAttempt({ inline: true });
  const [enrollment, setEnrollment] = useState<AnswerOf<"createEnrollment">>();
  const drones = useRequest("listDrones", {}, { everyMs: 2_000 });
  const [known, setKnown] = useState<ReadonlySet<string>>();
  const command = enrollment?.command;
  const arrived = known && drones.data?.items.find(({ id }) => !known.has(id));

  useEffect(() => {
    void attempt(async () => {
      const before = await request("listDrones");
      setEnrollment(await request("createEnrollment"));
      setKnown(new Set(before.items.map(({ id }) => id)));
    });
  }, [attempt, request]);

  return (
    <Dialog title="Add a drone" onClose={onClose}>
      {problem && <p className="text-danger">{problem}</p>}
      {enrollment?.elsewhere === false && <NoPublicUrl />}
      {command && !arrived && (
        <>
          <p className="text-muted">
            {enrollment?.elsewhere === false
              ? "On this machine, run this in a copy of Gadget Code."
              : "Run this in a copy of Gadget Code on the other machine."}{" "}
            The code works once, for 15 minutes.
          </p>
          <div className="mt-3 flex items-start gap-2 rounded-lg border border-line bg-sunken p-3">
            <code className="min-w-0 flex-1 font-mono text-xs break-all">{command}</code>
            <CopyButton text={command} />
          </div>
          <p role="status" className="mt-3 flex items-center gap-2 text-[13px] text-muted">
            <span aria-hidden="true" className="pulse size-2 rounded-full bg-blue" />
            Waiting for it to connect
          </p>
        </>
      )}
      {arrived && (
        <p role="status" className="flex items-center gap-2 font-medium text-green">
          <span aria-hidden="true" className="size-2 rounded-full bg-green" />
          {arrived.name} is connected.
        </p>
      )}
      <div className="mt-5 flex justify-end">
        <Button
          onClick={() => {
            invalidate("listDrones");
            onClose();
          }}
        >
          Close
        </Button>
      </div>
    </Dialog>
  );
}

function NoPublicUrl() {
  return (
    <p className="mb-3 text-muted">
      Other machines can't reach this server yet: it has no public address. Set{" "}
      <code className="font-mono text-[13px]">GADGET_PUBLIC_URL</code> to the address under which
      they can reach it (and <code className="font-mono text-[13px]">GADGET_HOST</code> to an
      address that is not loopback), restart, and come back.
    </p>
  );
}
