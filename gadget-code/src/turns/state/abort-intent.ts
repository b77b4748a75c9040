import type { Person } from "@gadget/api";
import type { StoredTurn } from "../../models/chat-turn.ts";

/** An abort that was asked for. */
export interface AbortIntent {
  by: Person | undefined;
  at: Date;
  /** The turn as the abort's write left it; undefined: it had settled, or the write failed. */
  stored: Promise<StoredTurn | undefined>;
  /** Its write failed: the next one who asks writes it again. */
  isLost?: boolean;
  /** Why it failed. */
  failure?: unknown;
}
