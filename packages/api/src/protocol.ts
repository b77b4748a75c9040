import * as z from "zod/mini";
import { RefusalError } from "./refusal.ts";

export const Protocol = z.strictObject({
  version: z.int().check(z.positive()),
  oldest: z.int().check(z.positive()),
});
export type Protocol = z.infer<typeof Protocol>;

/**
 * The version of everything on the sockets. The rule: a peer says its version and the oldest
 * one that it can serve. Two peers talk when each is at least as new as the other's oldest;
 * they then speak the lower of the two versions. Otherwise the server refuses the connection
 * with `protocol`, and the sentence names the side that has to be updated.
 * What the server adds to what it sends does not raise the version: others ignore what they don't
 * know. What a drone or a page adds does, once a version was released: the server reads strictly.
 */
export const ownProtocol: Protocol = { version: 1, oldest: 1 };

/** The version that both speak; throws a `protocol` refusal where there is none. */
export function agreeOnProtocol(peer: Protocol, own: Protocol = ownProtocol): number {
  if (peer.version < own.oldest) {
    throw new RefusalError(
      "protocol",
      `The client speaks protocol ${peer.version}; this server needs at least ${own.oldest}. Update the client.`,
    );
  }
  if (own.version < peer.oldest) {
    throw new RefusalError(
      "protocol",
      `The client needs protocol ${peer.oldest}; this server speaks ${own.version}. Update the server.`,
    );
  }
  return Math.min(peer.version, own.version);
}
