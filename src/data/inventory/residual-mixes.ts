import { multiplyFractions, readFraction, roundFraction } from "../../domain/fractions.js";
import { conversionOf, findUnit } from "../../domain/ghg/units.js";
import { Prisma } from "../../generated/prisma/client.js";
import { regionKeyOf } from "../../regions/regions.js";
import type { TenantReader } from "../tenant/reader.js";
import { own } from "../tenant/sources.js";

/** Decimal places of a rate that was converted to kWh. The factors themselves have 18. */
const RATE_DECIMALS = 24;

/**
 * Returns the residual mix in kg CO2e per kWh of each market that has facilities. It is the scope 2 factor of the
 * category `residual_mix` from the latest year up to `year`. In the same year, the organization's own factor takes
 * precedence over a publication's. Omits markets without a factor.
 */
export async function findResidualMixes(
  tenant: TenantReader,
  year: number,
): Promise<ReadonlyMap<string, string>> {
  const factors = await tenant.query<{ region: string; factor: string; unit: string }>(Prisma.sql`
    SELECT region, trim_scale(factor)::text AS factor, unit FROM ${own.emission_factors}
    WHERE scope = 'scope_2' AND category = 'residual_mix' AND dimension = 'energy' AND source_year <= ${year}::int
    ORDER BY source_year DESC, organization_id NULLS LAST, id`);
  const rates = new Map<string, string>();
  for (const { region, factor, unit } of factors) {
    const key = regionKeyOf(region);
    if (!rates.has(key)) rates.set(key, ratePerKwh(factor, unit));
  }
  if (rates.size === 0) return rates;
  const markets = await tenant.query<{ market: string }>(Prisma.sql`
    SELECT DISTINCT coalesce(electricity_market, country::text) AS market FROM ${own.facilities}
    WHERE coalesce(electricity_market, country::text) IS NOT NULL`);
  return new Map(
    markets.flatMap(({ market }) => {
      const rate = rates.get(regionKeyOf(market));
      return rate === undefined ? [] : [[market, rate]];
    }),
  );
}

/** Converts kilograms per unit of energy to kilograms per kWh. Calorific values do not apply to electricity. */
function ratePerKwh(factor: string, name: string): string {
  const [kwh, unit] = [findUnit("kWh"), findUnit(name)];
  if (kwh === null || unit === null)
    throw new Error(`expected a unit of energy for a residual mix, got ${name}`);
  return roundFraction(multiplyFractions([readFraction(factor), conversionOf(kwh, unit)]), RATE_DECIMALS);
}
