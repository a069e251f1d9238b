import type { Database } from "../data/database.js";
import { type Difference, repairEmissionDays, verifyEmissionDays } from "../data/emission-days.js";
import { showable } from "./terminal.js";

const MOST_SHOWN = 20;

/** What comparing the kept sums with the records found. */
export interface Verification {
  readonly differences: number;
  readonly repaired: boolean;
  /** The first 20. */
  readonly first: readonly Difference[];
}

/** Compares the sums by day with the emission records, and with `repair` puts them right. */
export async function verify(database: Database, repair: boolean): Promise<Verification> {
  const found = await (repair ? repairEmissionDays(database) : verifyEmissionDays(database));
  return {
    differences: found.length,
    repaired: repair && found.length > 0,
    first: found.slice(0, MOST_SHOWN),
  };
}

export function describeVerification({ differences, repaired, first }: Verification): string {
  if (differences === 0) return "The sums agree with the emission records.";
  const lines = first.map(({ organization, grain, recorded_on, part, scope, kept, recomputed }) => {
    const of = grain === "day" ? "all" : `${grain} ${showable(part) || "(none)"}`;
    const sums = `kept ${kept.co2e_tonnes} t of ${kept.record_count}, records have ${recomputed.co2e_tonnes} t of ${recomputed.record_count}`;
    return `${organization} ${recorded_on} ${scope} ${of}: ${sums}`;
  });
  const more = differences > first.length ? [`… and ${differences - first.length} more.`] : [];
  const end = repaired ? "They are right now." : "Run verify --repair to put them right.";
  return [`${differences} sums differ from the emission records:`, ...lines, ...more, end].join("\n");
}
