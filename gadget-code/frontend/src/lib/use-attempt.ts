import { useCallback, useState } from "react";
import { sentenceOf } from "./api.ts";
import { showToast } from "./toast.ts";

interface Attempt {
  isBusy: boolean;
  /** Why the last attempt failed, where `inline` was asked for. */
  problem: string | undefined;
  /** Runs it, once at a time; gives whether it went well. */
  attempt: (run: () => Promise<unknown>) => Promise<boolean>;
}

/** For everything that can be refused: forms show the sentence inline, the rest in a toast. */
export function useAttempt({ inline = false } = {}): Attempt {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const attempt = useCallback(
    async (run: () => Promise<unknown>) => {
      setBusy(true);
      setProblem(undefined);
      try {
        await run();
        return true;
      } catch (error) {
        if (inline) {
          setProblem(sentenceOf(error));
        } else {
          showToast(sentenceOf(error), { tone: "error" });
        }
        return false;
      } finally {
        setBusy(false);
      }
    },
    [inline],
  );
  return { isBusy, problem, attempt };
}
