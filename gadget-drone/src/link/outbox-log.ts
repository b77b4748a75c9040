import { appendFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { TurnEvent, TurnId } from "@gadget/api";
import { z } from "zod";

/** How a work order ended, as `workOrderComplete` says it. */
export interface Completion {
  success: boolean;
  message?: string | undefined;
}

/** Where one turn's unacknowledged events are kept. Nobody waits for it: it writes when it can. */
export interface OutboxLog {
  /** Each line is the JSON of `{ event }`. */
  append(lines: readonly string[]): void;
  complete(completion: Completion): void;
  /** Everything below `nextSeq` is stored elsewhere: it may be forgotten here. */
  forget(nextSeq: number): void;
  /** Resolves when everything so far is on disk. */
  written(): Promise<void>;
  /** The turn is over. Resolves when its file is gone. */
  remove(): Promise<void>;
}

/** What an earlier process could not deliver. */
export interface OutboxTail {
  turnId: TurnId;
  epoch: number;
  nextSeq: number;
  events: TurnEvent[];
  completion?: Completion;
}

/** Where a drone keeps its turns' logs, beyond its own life. */
export interface OutboxLogs {
  open(turn: Pick<OutboxTail, "turnId" | "epoch" | "nextSeq">): OutboxLog;
  /** What earlier processes left; one without events tells that the order was taken. */
  tails(): Promise<OutboxTail[]>;
}

export function diskLogs(folder: string, onError: (error: unknown) => void): OutboxLogs {
  return {
    open: (turn) => new DiskLog(folder, turn, onError),
    tails: () => readTails(folder),
  };
}

const rewriteAboveBytes = 256 * 1024;

/** One file a turn, one JSON value a line: the next number, then events, then the completion. */
export class DiskLog implements OutboxLog {
  readonly #path: string;
  readonly #onError: (error: unknown) => void;
  #waiting = "";
  /** What waits replaces what the file holds. */
  #anew = false;
  #bytes = 0;
  #work: Promise<void> = Promise.resolve();
  #queued = false;

  constructor(
    folder: string,
    turn: { turnId: TurnId; epoch: number; nextSeq: number },
    onError: (error: unknown) => void,
  ) {
    this.#path = join(folder, `${turn.turnId}.${turn.epoch}.jsonl`);
    this.#onError = onError;
    this.#write(`${JSON.stringify({ nextSeq: turn.nextSeq })}\n`);
  }

  append(lines: readonly string[]): void {
    this.#write(`${lines.join("\n")}\n`);
  }

  complete(completion: Completion): void {
    this.#write(`${JSON.stringify({ completion })}\n`);
  }

  forget(nextSeq: number): void {
    if (this.#bytes < rewriteAboveBytes) {
      return;
    }
    this.#bytes = 0;
    this.#waiting = "";
    this.#anew = true;
    this.#write(`${JSON.stringify({ nextSeq })}\n`);
  }

  written(): Promise<void> {
    return this.#work;
  }

  async remove(): Promise<void> {
    this.#waiting = "";
    this.#then(() => rm(this.#path, { force: true }));
    await this.#work;
  }

  #write(text: string): void {
    this.#bytes += text.length;
    this.#waiting += text;
    if (this.#queued) {
      return;
    }
    this.#queued = true;
    this.#then(async () => {
      this.#queued = false;
      const [lines, anew] = [this.#waiting, this.#anew];
      this.#waiting = "";
      this.#anew = false;
      const write = anew ? writeFile : appendFile;
      if (lines !== "") {
        await write(this.#path, lines, { mode: 0o600 });
      }
    });
  }

  #then(step: () => Promise<void>): void {
    this.#work = this.#work.then(step).catch(this.#onError);
  }
}

const Line = z.union([
  z.object({ nextSeq: z.int().positive() }),
  z.object({ event: z.unknown() }),
  z.object({
    completion: z.object({ success: z.boolean(), message: z.string().optional() }),
  }),
]);

/** Reads what earlier processes left in the folder, and removes what is no log. */
export async function readTails(folder: string): Promise<OutboxTail[]> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const tails: OutboxTail[] = [];
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const tail = readTail(name, await readFile(path, "utf8"));
    if (tail === undefined) {
      await rm(path, { force: true });
    } else {
      tails.push(tail);
    }
  }
  return tails;
}

function readTail(name: string, text: string): OutboxTail | undefined {
  const [, id, epoch] = /^([\w-]+)\.(\d+)\.jsonl$/.exec(name) ?? [];
  const turnId = TurnId.safeParse(id);
  if (!turnId.success) {
    return undefined;
  }
  const tail: OutboxTail = { turnId: turnId.data, epoch: Number(epoch), nextSeq: 1, events: [] };
  for (const line of text.split("\n")) {
    const parsed = parseLine(line);
    // A line that was cut by the crash ends what is known.
    if (parsed === undefined) {
      break;
    }
    if ("nextSeq" in parsed) {
      tail.nextSeq = parsed.nextSeq;
    } else if ("completion" in parsed) {
      tail.completion = parsed.completion;
    } else {
      const event = TurnEvent.safeParse(parsed.event);
      // After a gap (the disk was full) nothing can be continued.
      const follows = tail.events.length === 0 || event.data?.seq === tail.nextSeq;
      if (!event.success || !follows) {
        break;
      }
      tail.events.push(event.data);
      tail.nextSeq = event.data.seq + 1;
    }
  }
  return tail;
}

function parseLine(line: string): z.infer<typeof Line> | undefined {
  try {
    return Line.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
