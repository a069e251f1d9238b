import type { RecordOrigins } from "../../data/emissions/recalculation.js";
import type { RecordRow } from "../../data/emissions/record-rows.js";
import {
  type FactorRow,
  type FactorSet,
  listFactorSet,
  listFactorSources,
} from "../../data/factors/factors.js";
import type { TenantReader } from "../../data/tenant/reader.js";
import { RECALCULATION_OBSTACLES, type RecalculationObstacle } from "../../domain/emissions/recalculation.js";
import { createCounterparts } from "../../domain/ghg/factor-counterparts.js";
import { InvalidInput } from "../action-error.js";
import type { Calculation } from "../factors/calculate.js";

/** Number of records that cannot be recalculated for one reason. */
export interface ObstacleCount {
  readonly reason: RecalculationObstacle;
  readonly recordCount: number;
}

/** Returns the factors of a set. Throws InvalidInput if it has none. */
export async function requireFactorSet(tenant: TenantReader, set: FactorSet): Promise<readonly FactorRow[]> {
  const factors = await listFactorSet(tenant, set);
  if (factors.length > 0) return factors;
  const sources = await listFactorSources(tenant, set.year);
  const known = sources.map((source) => JSON.stringify(source)).join(", ");
  throw new InvalidInput(
    "factor",
    "factorSet",
    `must be a publication and a year with factors (got ${JSON.stringify(set.source)} of ${set.year}; publications of ${set.year}: ${known || "none"})`,
  );
}

/** A record, its factor, and the factors of the set for the same activity. */
export interface Match {
  readonly record: RecordRow;
  readonly former: FactorRow;
  readonly found: readonly FactorRow[];
  /** True if its factor is in the set. */
  readonly isSame: boolean;
}

/**
 * Finds each record's factors in the set, in the order of the records. Every record must have been calculated with a
 * factor.
 */
export function matchFactors(records: readonly RecordRow[], set: readonly FactorRow[]): Match[] {
  const findCounterparts = createCounterparts(set);
  return records.map((record) => {
    const former = (JSON.parse(record.calculation ?? "") as Calculation).factor as FactorRow;
    return {
      record,
      former,
      found: findCounterparts(former),
      isSame: set.some(({ id }) => id === former.id),
    };
  });
}

/** Counts the records that cannot be recalculated, by reason. Omits reasons without records. */
export function countObstacles(
  { given, byGas }: RecordOrigins,
  matches: readonly Match[],
): readonly ObstacleCount[] {
  const others = matches.filter(({ isSame }) => !isSame).map(({ found }) => found.length);
  const counts: Readonly<Record<RecalculationObstacle, number>> = {
    amount_given: given,
    by_gas: byGas,
    no_factor: others.filter((count) => count === 0).length,
    several_factors: others.filter((count) => count > 1).length,
  };
  return RECALCULATION_OBSTACLES.map((reason) => ({ reason, recordCount: counts[reason] })).filter(
    ({ recordCount }) => recordCount > 0,
  );
}
