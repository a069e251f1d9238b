import { showable } from "../commands/terminal.js";
import { type BalanceDifference, repairBalances, verifyBalances } from "../data/credits/balances.js";
import { announceEverything } from "../data/database/integrity.js";
import type { Database } from "../data/database/types.js";
import { type Difference, repairEmissionDays, verifyEmissionDays } from "../data/emissions/days.js";

const MOST_SHOWN = 20;

/** What comparing kept figures with the rows they follow found. */
interface Found<Kind> {
  readonly differences: number;
  /** The first 20. */
  readonly first: readonly Kind[];
}

/** What comparing sums with records, and balances of credits with sales and retirements, found. */
export interface Verification extends Found<Difference> {
  readonly repaired: boolean;
  readonly balances: Found<BalanceDifference> & {
    /** Batches of which more was sold and retired than issued: nothing puts these right but other figures. */
    readonly overdrawn: number;
  };
}

/**
 * Compares the sums by day and by month with the emission records, and the balances of credit batches with their sales and
 * retirements. With `repair` it puts them right, and has all gateways forget what they remember.
 */
export async function verify(database: Database, repair: boolean): Promise<Verification> {
  const sums = await (repair ? repairEmissionDays(database) : verifyEmissionDays(database));
  const balances = await (repair ? repairBalances(database) : verifyBalances(database));
  if (repair) await announceEverything(database);
  return {
    ...summarize(sums),
    repaired: repair && sums.length + balances.length > 0,
    balances: { ...summarize(balances), overdrawn: balances.filter(({ overdrawn }) => overdrawn).length },
  };
}

/** Whether something is still wrong. */
export function isWrong({ differences, repaired, balances }: Verification): boolean {
  return repaired ? balances.overdrawn > 0 : differences + balances.differences > 0;
}

/** A verification for people: what differs, a line each, and what to do. */
export function describeVerification({ repaired, balances, ...sums }: Verification): string {
  const lines = [
    ...(sums.differences === 0 ? ["The sums agree with the emission records."] : []),
    ...describe(sums, "sums differ from the emission records", describeSum),
    ...describe(balances, "balances of credits differ from the sales and retirements", describeBalance),
  ];
  if (balances.overdrawn > 0) {
    lines.push(
      `Of ${balances.overdrawn} batches more was sold and retired than issued: correct the quantity, a sale or a retirement, then run verify --repair.`,
    );
  }
  if (repaired) lines.push(balances.overdrawn > 0 ? "The others are right now." : "They are right now.");
  else if (sums.differences + balances.differences > balances.overdrawn)
    lines.push("Run verify --repair to put them right.");
  return lines.join("\n");
}

function summarize<Kind>(all: readonly Kind[]): Found<Kind> {
  return { differences: all.length, first: all.slice(0, MOST_SHOWN) };
}

function describe<Kind>(
  { differences, first }: Found<Kind>,
  difference: string,
  describeOne: (one: Kind) => string,
): string[] {
  if (differences === 0) return [];
  const more = differences > first.length ? [`… and ${differences - first.length} more.`] : [];
  return [`${differences} ${difference}:`, ...first.map(describeOne), ...more];
}

function describeSum({
  organization,
  grain,
  recorded_on,
  part,
  subpart,
  scope,
  kept,
  recomputed,
}: Difference): string {
  const parts = grain === "month_cell" ? [part, subpart] : [part];
  const of =
    grain === "day" || grain === "month"
      ? `${grain} as a whole`
      : `${grain} ${parts.map((name) => showable(name) || "(none)").join(" ")}`;
  const sums = `kept ${kept.co2e_tonnes} t of ${kept.record_count}, records have ${recomputed.co2e_tonnes} t of ${recomputed.record_count}`;
  return `${organization} ${recorded_on} ${scope} ${of}: ${sums}`;
}

function describeBalance({ organization, batch, quantity, kept, recomputed }: BalanceDifference): string {
  const balance = `kept ${kept.sold} sold, ${kept.retired} retired and ${kept.available} available of ${quantity}`;
  return `${organization} batch ${showable(batch)}: ${balance}; there are ${recomputed.sold} sold and ${recomputed.retired} retired`;
}
