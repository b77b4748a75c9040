import { lookup } from "node:dns/promises";
import type { Config } from "./config.ts";

/**
 * The page's own name on this machine. Cookies know no ports: whatever else listens on 127.0.0.1
 * is sent those of 127.0.0.1, and so would be sent the one that signs in here.
 */
export const ownName = "gadget.localhost";

type Lookup = (name: string, options: { all: true }) => Promise<readonly { address: string }[]>;

/** Whether people of this machine can reach this server by its own name. */
export async function hasOwnName(
  { host, publicUrl }: Pick<Config, "host" | "publicUrl">,
  look: Lookup = lookup,
): Promise<boolean> {
  if (publicUrl !== undefined || !["127.0.0.1", "localhost"].includes(host)) {
    return false;
  }
  const found = await look(ownName, { all: true }).catch(() => []);
  const addresses = found.map(({ address }) => address);
  return (
    addresses.includes("127.0.0.1") &&
    addresses.every((address) => address === "::1" || address.startsWith("127."))
  );
}
