import * as z from "zod/mini";

/** An instant of the server's clock, as ISO 8601 in UTC. */
export const Instant = z.iso.datetime();
export type Instant = z.infer<typeof Instant>;
