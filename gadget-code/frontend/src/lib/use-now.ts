import { useEffect, useEffectEvent, useState } from "react";

/** A clock that ticks. */
export function useNow(everyMs: number, read: () => number = Date.now): number {
  const [now, setNow] = useState(read);
  const tick = useEffectEvent(() => setNow(read()));
  useEffect(() => {
    const timer = setInterval(() => tick(), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
