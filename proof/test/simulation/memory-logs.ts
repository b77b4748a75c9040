import { TurnEvent } from "@gadget/api";
import type {
  Completion,
  OutboxLog,
  OutboxLogs,
  OutboxTail,
} from "../../../gadget-drone/src/link/outbox-log.ts";
import type { ProcessClock } from "./world-clock.ts";

/** A drone's disk: it outlives the process, which loses what it had not yet written. */
export type Disk = Map<string, OutboxTail>;

const writeMs = 2;

export function memoryLogs(disk: Disk, clock: ProcessClock): OutboxLogs {
  return {
    open: ({ turnId, epoch, nextSeq }) => {
      const name = `${turnId}.${epoch}`;
      const known = disk.get(name);
      if (known === undefined) {
        disk.set(name, { turnId, epoch, nextSeq, events: [] });
      }
      return logOn(disk, name, clock);
    },
    tails: async () => {
      const left = [...disk.values()];
      const tails = left.filter(({ events, completion }) => events.length > 0 || completion);
      for (const [name, tail] of disk) {
        if (!tails.includes(tail)) {
          disk.delete(name);
        }
      }
      return structuredClone(tails);
    },
  };
}

function logOn(disk: Disk, name: string, clock: ProcessClock): OutboxLog {
  const later = (write: (tail: OutboxTail) => void) => {
    clock.after(writeMs, () => {
      const tail = disk.get(name);
      if (tail !== undefined) {
        write(tail);
      }
    });
  };
  return {
    append: (lines) =>
      later((tail) => {
        for (const line of lines) {
          const event = TurnEvent.parse(JSON.parse(line).event);
          tail.events.push(event);
          tail.nextSeq = event.seq + 1;
        }
      }),
    complete: (completion: Completion) =>
      later((tail) => {
        tail.completion = completion;
      }),
    forget: () => {},
    written: () => clock.wait(writeMs),
    remove: async () => {
      await clock.wait(writeMs);
      disk.delete(name);
    },
  };
}
