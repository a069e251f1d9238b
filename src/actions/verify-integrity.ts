import { type BalanceDifference, repairBalances, verifyBalances } from "../data/credits/verify-balances.js";
import { announceEverything } from "../data/database/schema/integrity.js";
import type { Database } from "../data/database/types.js";
import { type Difference, repairEmissionDays, verifyEmissionDays } from "../data/emissions/verify-days.js";
import { repairChanges, type UnorderedRows, verifyChanges } from "../data/sync/verify-changes.js";

const MAX_SHOWN = 20;

/** Stored figures that differ from the rows they are computed from. */
export interface Differences<Kind> {
  readonly differences: number;
  /** The first 20 differences. */
  readonly first: readonly Kind[];
}

export interface IntegrityReport extends Differences<Difference> {
  /** True if differences were repaired. */
  readonly repaired: boolean;
  readonly balances: Differences<BalanceDifference> & {
    /** Number of batches with more credits sold and retired than issued. `repair` cannot correct them. */
    readonly overdrawn: number;
  };
  /** Changed rows that are missing from `change_sets`, so that consumers of changes never get them. */
  readonly changes: Differences<UnorderedRows>;
}

/**
 * Compares daily and monthly sums with the emission records, the balances of credit batches with their sales and
 * retirements, and changed rows with `change_sets`. `repair` corrects the differences and makes all gateways drop their
 * caches.
 */
export async function verifyIntegrity(database: Database, repair: boolean): Promise<IntegrityReport> {
  const sums = await (repair ? repairEmissionDays(database) : verifyEmissionDays(database));
  const balances = await (repair ? repairBalances(database) : verifyBalances(database));
  const changes = await (repair ? repairChanges(database) : verifyChanges(database));
  if (repair) await announceEverything(database);
  return {
    ...summarize(sums),
    repaired: repair && sums.length + balances.length + changes.length > 0,
    balances: { ...summarize(balances), overdrawn: balances.filter(({ overdrawn }) => overdrawn).length },
    changes: summarize(changes),
  };
}

/** Returns true if any difference remains. */
export function hasDifferences({ differences, repaired, balances, changes }: IntegrityReport): boolean {
  return repaired ? balances.overdrawn > 0 : differences + balances.differences + changes.differences > 0;
}

function summarize<Kind>(all: readonly Kind[]): Differences<Kind> {
  return { differences: all.length, first: all.slice(0, MAX_SHOWN) };
}
