import type { Scope } from "../domain/scopes.js";
import type { Tier } from "../domain/tiers.js";
import type { PrincipalLog } from "../http/request-info.js";

/** On whose behalf a request acts. Everything outside of `access/` uses this, and never the credentials that were sent. */
export interface Principal {
  /** Unique among all principals; requests are counted against the hourly limit under this id. */
  readonly id: string;
  /** The tenant whose data it can read. */
  readonly organization: { readonly id: string; readonly slug: string; readonly name: string };
  readonly scopes: readonly Scope[];
  /** Decides on the hourly limit and on the cost that one operation may have. */
  readonly tier: Tier;
  /** How the access log names it. */
  readonly log: PrincipalLog;
}
