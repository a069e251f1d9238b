import { createHash } from "node:crypto";
import pg from "pg";
import { writeUnits } from "../../domain/amounts.js";
import type { EmissionScope } from "../../domain/enums.js";
import type { ScopeTotal } from "../../domain/verification/statement.js";
import type { IsoDate } from "../../domain/window.js";
import type { SqlSession } from "../database/types.js";

/** What the records of a request are, and what they make. */
export interface TakenSnapshot {
  /** SHA-256 in hexadecimal of the lines `id|recorded_on|scope|co2e_tonnes` by id, each ended by a line feed. */
  readonly digest: string;
  readonly recordCount: number;
  /** One for each of the request's scopes. */
  readonly totals: readonly ScopeTotal[];
}

/** Which records are verified. */
interface VerifiedRecords {
  readonly periodFrom: IsoDate;
  readonly periodTo: IsoDate;
  readonly scopes: readonly EmissionScope[];
}

/** Records that are in memory at a time. */
const BATCH = 10_000;
const DECIMALS = 6;

interface Line {
  readonly line: string;
  readonly scope: EmissionScope;
  readonly amount: string;
}

/**
 * Reads the records of a request whose period is locked, in one statement whatever their number: nobody writes them
 * meanwhile.
 */
export async function takeSnapshot(
  sql: SqlSession,
  organizationId: string,
  { periodFrom, periodTo, scopes }: VerifiedRecords,
): Promise<TakenSnapshot> {
  const quote = pg.escapeLiteral;
  await sql.script(`DECLARE snapshot NO SCROLL CURSOR FOR
    SELECT concat_ws('|', id, to_char(recorded_on, 'YYYY-MM-DD'), scope, co2e_tonnes) AS line, scope::text AS scope, co2e_tonnes::text AS amount
    FROM emission_records WHERE organization_id = ${quote(organizationId)}::uuid AND deleted_at IS NULL
      AND recorded_on BETWEEN ${quote(periodFrom)}::date AND ${quote(periodTo)}::date
      AND scope = ANY (${quote(`{${scopes.join()}}`)}::emission_scope[]) ORDER BY id`);
  const digest = createHash("sha256");
  const units = new Map(scopes.map((scope) => [scope, 0n]));
  let recordCount = 0;
  for (let size = BATCH; size === BATCH; ) {
    const lines = await sql.query<Line>(`FETCH ${BATCH} FROM snapshot`);
    size = lines.length;
    recordCount += size;
    digest.update(lines.map(({ line }) => `${line}\n`).join(""));
    for (const { scope, amount } of lines) {
      units.set(scope, (units.get(scope) ?? 0n) + BigInt(amount.replace(".", "")));
    }
  }
  await sql.script("CLOSE snapshot");
  const totals = [...units].map(([scope, sum]) => ({ scope, co2eTonnes: writeUnits(sum, DECIMALS) }));
  return { digest: digest.digest("hex"), recordCount, totals };
}
