import { type BalanceDifference, repairBalances, verifyBalances } from "../data/credits/verify-balances.js";
import { announceEverything } from "../data/database/schema/integrity.js";
import type { Database } from "../data/database/types.js";
import { type Difference, repairEmissionDays, verifyEmissionDays } from "../data/emissions/verify-days.js";
import { repairChanges, type UnorderedRows, verifyChanges } from "../data/sync/verify-changes.js";

const MOST_SHOWN = 20;

/** Stored figures that differ from the rows they are computed from. */
export interface Found<Kind> {
  readonly differences: number;
  /** The first 20 differences. */
  readonly first: readonly Kind[];
}

/**
 * Result of comparing stored sums with emission records, credit balances with sales and retirements, and changed rows
 * with the order of changes.
 */
export interface Verification extends Found<Difference> {
  /** True if differences were repaired. */
  readonly repaired: boolean;
  readonly balances: Found<BalanceDifference> & {
    /** Number of batches with more sold and retired than issued credits, which only corrected figures can repair. */
    readonly overdrawn: number;
  };
  /** Groups of changed rows that copies which follow changes would miss. */
  readonly changes: Found<UnorderedRows>;
}

/**
 * Compares the sums by day and by month with the emission records, the balances of credit batches with their sales
 * and retirements, and changed rows with the order of changes. `repair` corrects the differences and makes all gateways drop their caches.
 */
export async function verify(database: Database, repair: boolean): Promise<Verification> {
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
export function isWrong({ differences, repaired, balances, changes }: Verification): boolean {
  return repaired ? balances.overdrawn > 0 : differences + balances.differences + changes.differences > 0;
}

function summarize<Kind>(all: readonly Kind[]): Found<Kind> {
  return { differences: all.length, first: all.slice(0, MOST_SHOWN) };
}
