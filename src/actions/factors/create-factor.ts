import { write } from "../../data/database/transaction.js";
import { idOf } from "../../data/emissions/record-identity.js";
import type { FactorRow } from "../../data/factors/factors.js";
import { countOwnFactors, insertFactor, requireOwnFactor } from "../../data/factors/write-factors.js";
import { lockOrganizationRow } from "../../data/organizations/lock-row.js";
import type { EmissionScope } from "../../domain/enums.js";
import { plainGas } from "../../domain/ghg/gwp.js";
import { readUnit } from "../../domain/ghg/units.js";
import { TEXT_LIMITS } from "../../domain/texts/text-limits.js";
import { InvalidInput, requireValid } from "../action-error.js";
import type { ActorContext } from "../actor-context.js";
import { assertIdempotent } from "../idempotency.js";
import { readAmount } from "../read-amount.js";
import { readLink, readText } from "../read-text.js";

/** Limits the work of a search, which indexes an organization's own factors and ranks them with the published ones. */
const MAX_OWN_FACTORS = 5_000;
const RATE = { exponent: 17, decimals: 18 };

const tooMany = () =>
  new InvalidInput(
    "factor",
    null,
    `An organization can have at most ${MAX_OWN_FACTORS} emission factors of its own.`,
  );

/** An emission factor as the caller sends it. */
export interface FactorInput {
  readonly activity: string;
  readonly region: string;
  readonly scope: EmissionScope;
  /** `other` if omitted. */
  readonly category?: string | null | undefined;
  /** `CO2e` if omitted. */
  readonly gas?: string | null | undefined;
  /** Kilograms of the gas per unit, as an unchecked decimal. */
  readonly factor: string;
  readonly unit: string;
  readonly source: string;
  readonly sourceUrl: string;
  readonly sourceYear: number;
}

export interface CreatedFactor {
  readonly factor: FactorRow;
  readonly isNew: boolean;
}

/**
 * Creates an emission factor of the organization, or returns the existing one with the same activity, region, scope,
 * gas, unit, year and content. Throws VALIDATION_FAILED, also for more than 5,000 factors, and CONFLICT if the factor
 * exists with different content.
 */
export async function createFactor(
  { resources, writer, now }: ActorContext,
  given: FactorInput,
): Promise<CreatedFactor> {
  const text = (field: keyof FactorInput, max: number) => () =>
    readText("factor", field, String(given[field] ?? "other"), max);
  const [activity, region, category, unitName, source, sourceUrl, factor, gas] = requireValid(
    text("activity", TEXT_LIMITS.name),
    text("region", TEXT_LIMITS.name),
    text("category", TEXT_LIMITS.category),
    text("unit", TEXT_LIMITS.name),
    text("source", TEXT_LIMITS.source),
    () => new URL(readLink("factor", "sourceUrl", given.sourceUrl)).href,
    () => readAmount("factor", "factor", given.factor, RATE),
    () => readGas(given.gas ?? "CO2e"),
    () => requireYear(given.sourceYear, now),
  );
  const { scope, sourceYear } = given;
  const { organizationId } = writer;
  const unit = readUnit(unitName);
  const key = [activity, region, scope, gas, unit.name, sourceYear] as const;
  const row = { activity, region, scope, category, gas, factor, unit, source, sourceUrl, sourceYear };
  const id = idOf(organizationId, ...key);
  return write(resources.database, writer, async (sql) => {
    const added = await insertFactor(sql, organizationId, { id, ...row });
    if (added) {
      await lockOrganizationRow(sql, organizationId);
      if ((await countOwnFactors(sql, organizationId)) > MAX_OWN_FACTORS) throw tooMany();
      return { factor: added, isNew: true };
    }
    const existing = await requireOwnFactor(sql, organizationId, id);
    assertIdempotent(
      "factor",
      `The factor of ${key.join(", ")}`,
      {
        category: existing.category,
        factor: existing.factorExact,
        source: existing.source,
        sourceUrl: existing.sourceUrl,
      },
      { category, factor, source, sourceUrl },
    );
    return { factor: existing, isNew: false };
  });
}

function readGas(gas: string): string {
  const known = ["CO2e", "CO2"].find((name) => plainGas(name) === plainGas(gas));
  if (known !== undefined) return known;
  throw new InvalidInput("factor", "gas", `must be CO2e or CO2 (got ${gas})`);
}

function requireYear(year: number, now: Date): void {
  const max = now.getUTCFullYear() + 1;
  if (year >= 1900 && year <= max) return;
  throw new InvalidInput("factor", "sourceYear", `must be from 1900 to ${max} (got ${year})`);
}
