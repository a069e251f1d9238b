import { TIER_LIMITS, TIERS } from "../../../../domain/tiers.js";
import type { Tier } from "../../../../generated/console.js";
import { nameOf } from "../../../parts/names.js";
import { writeSum } from "../../../parts/numbers.js";

const ALL = TIERS.map((tier) => tier.toUpperCase() as Tier);

/** Writes the hourly limit of a tier: "100 requests an hour". */
export const limitOf = (tier: Tier): string =>
  `${writeSum(TIER_LIMITS[tier.toLowerCase() as Lowercase<Tier>])} requests an hour`;

/** Returns the tiers of a plan with their limits, including the current tier of a key. */
export const tiersOf = (plan: Tier, current: Tier): Readonly<Partial<Record<Tier, string>>> =>
  Object.fromEntries(
    ALL.filter((tier) => tier === current || ALL.indexOf(tier) <= ALL.indexOf(plan)).map((tier) => [
      tier,
      `${nameOf(tier)}: ${limitOf(tier)}`,
    ]),
  );
