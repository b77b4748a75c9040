import type { Config } from "../config.ts";
import type { AllowedHosts } from "../people/allowed-hosts.ts";
import type { HangUp } from "../people/hang-up.ts";
import type { KnownIdentities } from "../people/known-identities.ts";
import type { OpenStreams } from "../people/open-streams.ts";
import type { RateLimits } from "../people/rate-limits.ts";
import type { Relayed } from "../people/relayed.ts";
import type { TurnContext } from "../turns/state/turn-context.ts";
import type { TurnFeed } from "../turns/state/turn-feed.ts";

export interface HttpContext extends TurnContext {
  config: Config;
  hosts: AllowedHosts;
  feed: TurnFeed;
  limits: RateLimits;
  hangUp: HangUp;
  known: KnownIdentities;
  relayed: Relayed;
  streams: OpenStreams;
  /** Where people reach this server, as far as it knows. */
  url(): string;
  /** What is printed and sent as a link: the same, or the page's own name. */
  pageUrl(): string;
  /** There is an owner from now on. */
  onOwner(): void;
}
