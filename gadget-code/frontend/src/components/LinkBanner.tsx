import { useEffect, useState } from "react";
import { useLink } from "../lib/use-link.ts";

const silentMs = 2_000;

/** Says that the server is out of reach, once that has lasted two seconds. */
export function LinkBanner() {
  const link = useLink();
  return link === "live" ? null : <Lost key={link} />;
}

function Lost() {
  const [isDue, setDue] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setDue(true), silentMs);
    return () => clearTimeout(timer);
  }, []);
  if (!isDue) return null;
  return (
    <p
      role="alert"
      className="shrink-0 bg-orange-soft px-4 py-1.5 text-center text-[13px] text-orange"
    >
      The connection to the server is lost. Running turns go on; this page catches up by itself.
    </p>
  );
}
