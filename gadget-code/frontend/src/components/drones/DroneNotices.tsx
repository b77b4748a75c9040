import type { Drone } from "@gadget/api";
import { useServices } from "../../lib/services.ts";
import { useAttempt } from "../../lib/use-attempt.ts";
import { useInvalidate } from "../../lib/use-request.ts";
import { Button } from "../ui/Button.tsx";
import { Callout } from "../ui/Callout.tsx";

const when = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

/** What the owner of a drone should know, until they say that they have read it. */
export function DroneNotices({ drone }: { drone: Drone }) {
  const { request } = useServices();
  const invalidate = useInvalidate();
  const { attempt, isBusy } = useAttempt();
  const notices = drone.notices ?? [];
  const noticesSeenAt = notices.at(-1)?.at;
  if (noticesSeenAt === undefined) {
    return null;
  }
  const markSeen = () =>
    attempt(async () => {
      await request("updateDrone", { params: { id: drone.id }, body: { noticesSeenAt } });
      invalidate("getDrone", "listDrones");
    });
  return (
    <Callout tone="orange" title="You should know">
      <ul className="flex flex-col gap-1.5">
        {notices.map(({ at, text }) => (
          <li key={at + text}>
            <time dateTime={at}>{when.format(new Date(at))}</time>: {text}
          </li>
        ))}
      </ul>
      <div>
        <Button small disabled={isBusy} onClick={() => void markSeen()}>
          I have read this
        </Button>
      </div>
    </Callout>
  );
}
