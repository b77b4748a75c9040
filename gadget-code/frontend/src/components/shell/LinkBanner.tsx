import { useEffect } from "react";
import { useServices } from "../../lib/services.ts";
import type { Lost } from "../../lib/socket.ts";
import { useLost } from "../../lib/use-lost.ts";
import { useNow } from "../../lib/use-now.ts";

/** Says that the server is out of reach. It lies over the page, so that nothing moves. */
export function LinkBanner() {
  const lost = useLost();
  const isLost = lost !== undefined;
  // What moves says that something goes on; of that nothing is known now. The style sheet stops it.
  useEffect(() => {
    document.documentElement.toggleAttribute("data-lost", isLost);
    return () => document.documentElement.removeAttribute("data-lost");
  }, [isLost]);
  return lost === undefined ? null : <Bar lost={lost} />;
}

function Bar({ lost: { retryAt } }: { lost: Lost }) {
  const { socket } = useServices();
  return (
    <section
      aria-label="Connection"
      className="fixed inset-x-3 top-2 z-40 mx-auto flex w-fit max-w-full flex-wrap items-center gap-x-2 rounded-lg border border-line-strong bg-orange-soft px-3.5 py-1.5 text-[13px] text-orange shadow-lg"
    >
      <p role="alert">The connection to the server is lost.</p>
      {/* The countdown is for the eyes: nobody wants to hear each second. */}
      <span className="tabular-nums">
        {retryAt === undefined ? "Trying again…" : <Countdown key={retryAt} to={retryAt} />}
      </span>
      <button
        type="button"
        disabled={retryAt === undefined}
        className="rounded font-semibold underline underline-offset-2 disabled:opacity-55"
        onClick={() => socket.retryNow()}
      >
        Now
      </button>
    </section>
  );
}

function Countdown({ to }: { to: number }) {
  const now = useNow(250, () => performance.now());
  return <>Trying again in {Math.max(1, Math.round((to - now) / 1_000))} s</>;
}
