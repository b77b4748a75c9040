import { RefusalError } from "@gadget/api";
import { answerMs } from "../answer-ms.ts";

/** What the database says, where it says anything; else whoever asks is told in time (A14). */
export async function unlessSilent<Answer>(asked: Promise<Answer>): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const silent = new Promise<never>((_, reject) => {
    const refuse = (): void =>
      reject(
        new RefusalError(
          "unavailable",
          "The database does not answer, so the server can't tell who asks. Try again in a few seconds.",
        ),
      );
    // On a busy machine the answer may lie here unread: it is looked at first.
    timer = setTimeout(() => setImmediate(refuse), answerMs);
  });
  return Promise.race([asked, silent]).finally(() => clearTimeout(timer));
}
