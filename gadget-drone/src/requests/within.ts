import { unlessAborted } from "@gadget/agent";
import { RefusalError } from "@gadget/api";

/** Work that is given up after this time, or earlier where its asker has left. */
export async function within<T>(
  ms: number,
  work: (signal: AbortSignal) => Promise<T>,
  cancelled?: AbortSignal,
): Promise<T> {
  const tooLong = AbortSignal.timeout(ms);
  const signal = cancelled === undefined ? tooLong : AbortSignal.any([tooLong, cancelled]);
  try {
    return await unlessAborted(work(signal), signal);
  } catch (error) {
    if (!tooLong.aborted) {
      throw error;
    }
    throw new RefusalError("unavailable", `The drone needed more than ${ms / 1000} s for this.`);
  }
}
