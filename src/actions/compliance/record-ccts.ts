import {
  findPeriodOfYear,
  insertPeriod,
  lockPeriod,
  type PeriodContent,
  type StoredPeriod,
  updatePeriod,
} from "../../data/compliance/write-ccts.js";
import { write } from "../../data/database/transaction.js";
import type { SqlSession } from "../../data/database/types.js";
import { computePosition, isFinancialYear } from "../../domain/compliance/ccts-position.js";
import { TEXT_LIMITS } from "../../domain/texts/text-limits.js";
import { InvalidInput, requireFound, requireValid, requireVersion } from "../action-error.js";
import type { ActorContext } from "../actor-context.js";
import { assertIdempotent, changesNothing, type WriteResult } from "../idempotency.js";
import { readAmount, readOptionalAmount } from "../read-amount.js";
import { readLink, readText } from "../read-text.js";

/** A period as the caller sends it. */
export interface PeriodInput extends Omit<PeriodContent, "averagePrice"> {
  readonly averagePrice?: string | null | undefined;
}

const INTENSITY = { exponent: 9, decimals: 9 };
const OUTPUT = { exponent: 15, decimals: 6 };
const PRICE = { exponent: 9, decimals: 9 };
const MAX_CERTIFICATES = BigInt(Number.MAX_SAFE_INTEGER);

function readYear(text: string): string {
  if (isFinancialYear(text)) return text;
  throw new InvalidInput(
    "period",
    "financialYear",
    `must be two consecutive years, such as 2025-26 (got ${text})`,
  );
}

function readPeriod(input: PeriodInput): PeriodContent {
  const [entity, financialYear, targetGei, targetSourceUrl, achievedGei, output, averagePrice] = requireValid(
    () => readText("period", "entity", input.entity, TEXT_LIMITS.name),
    () => readYear(input.financialYear),
    () => readAmount("period", "targetGei", input.targetGei, INTENSITY),
    () => readLink("period", "targetSourceUrl", input.targetSourceUrl),
    () => readAmount("period", "achievedGei", input.achievedGei, INTENSITY),
    () => readAmount("period", "output", input.output, OUTPUT),
    () => readOptionalAmount("period", "averagePrice", input.averagePrice, PRICE),
  );
  const { toIssue, toSurrender } = computePosition({ targetGei, achievedGei, output });
  if (toIssue + toSurrender > MAX_CERTIFICATES) {
    const expected = `must not result in more than ${MAX_CERTIFICATES} certificates`;
    throw new InvalidInput("period", "output", `${expected} (got ${toIssue + toSurrender})`);
  }
  return { entity, financialYear, targetGei, targetSourceUrl, achievedGei, output, averagePrice };
}

/** Returns the content of a period without its entity and year. */
const contentOf = ({ targetGei, targetSourceUrl, achievedGei, output, averagePrice }: PeriodContent) => ({
  targetGei,
  targetSourceUrl,
  achievedGei,
  output,
  averagePrice,
});

/**
 * Records a financial year of an entity. An existing one with the same content is unchanged. Throws InvalidInput for
 * all faults, and CONFLICT if the entity's year exists with different content.
 */
export function recordPeriod({ resources, writer }: ActorContext, input: PeriodInput): Promise<WriteResult> {
  const period = readPeriod(input);
  return write(resources.database, writer, async (sql) => {
    const id = await insertPeriod(sql, writer.organizationId, period);
    if (id !== null) return { id, isNew: true };
    const existing = await findPeriodOfYear(sql, writer.organizationId, period);
    if (!existing) throw new Error("the existing period disappeared, although nothing deletes periods");
    const key = `The year ${period.financialYear} of ${period.entity}`;
    assertIdempotent("period", key, contentOf(existing), contentOf(period));
    return { id: existing.id, isNew: false };
  });
}

/** Changes to a period. An omitted value is unchanged. */
export interface PeriodChanges extends Partial<Omit<PeriodInput, "entity" | "financialYear">> {}

/**
 * Changes the given values of a period and returns its id. Null removes the price. Throws InvalidInput for all faults,
 * NOT_FOUND, and CONFLICT if the version is not the expected one.
 */
export function changePeriod(
  { resources, writer }: ActorContext,
  id: string,
  changes: PeriodChanges,
  expectedVersion: number | null | undefined,
): Promise<string> {
  if (Object.keys(changes).length === 0) {
    throw new InvalidInput(
      "period",
      null,
      "Nothing to change: give a target, an intensity, an output or a price.",
    );
  }
  return write(resources.database, writer, async (sql) => {
    const old = await requirePeriod(sql, writer.organizationId, id);
    const changed = readPeriod({ ...old, ...changes });
    if (changesNothing(old, changed)) return old.id;
    requireVersion("period", old.version, expectedVersion);
    await updatePeriod(sql, old.id, changed);
    return old.id;
  });
}

/** Returns a period of the organization, locked until the transaction ends. Throws NOT_FOUND. */
export async function requirePeriod(
  sql: SqlSession,
  organizationId: string,
  id: string,
): Promise<StoredPeriod> {
  return requireFound(await lockPeriod(sql, organizationId, id), "period", id, "CCTS period");
}
