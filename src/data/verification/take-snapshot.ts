import { createHash } from "node:crypto";
import pg from "pg";
import type { EmissionScope } from "../../domain/enums.js";
import type { ScopeTotal } from "../../domain/verification/statement.js";
import type { IsoDate } from "../../domain/window.js";
import { takeTurn } from "../../turns.js";
import type { SqlSession } from "../database/types.js";

/** The digest and the totals of a request's records. */
export interface TakenSnapshot {
  /** SHA-256, in hexadecimal, of lines `id|recorded_on|scope|co2e_tonnes`, sorted by id, each with a line feed. */
  readonly digest: string;
  readonly recordCount: number;
  /** One for each of the request's scopes. */
  readonly totals: readonly ScopeTotal[];
}

/** The records to verify. */
interface VerifiedRecords {
  readonly periodFrom: IsoDate;
  readonly periodTo: IsoDate;
  readonly scopes: readonly EmissionScope[];
}

/** Records per batch. Hashing one batch blocks other requests for a few milliseconds. */
const BATCH = 1_000;

/** Takes a snapshot of a request's records. Lock its period first, so that no record changes between the statements. */
export async function takeSnapshot(
  sql: SqlSession,
  organizationId: string,
  { periodFrom, periodTo, scopes }: VerifiedRecords,
): Promise<TakenSnapshot> {
  const quote = pg.escapeLiteral;
  const records = `FROM emission_records WHERE organization_id = ${quote(organizationId)}::uuid AND deleted_at IS NULL
    AND recorded_on BETWEEN ${quote(periodFrom)}::date AND ${quote(periodTo)}::date
    AND scope = ANY (${quote(`{${scopes.join()}}`)}::emission_scope[])`;
  await sql.script(`DECLARE snapshot NO SCROLL CURSOR FOR
    SELECT concat_ws('|', id, to_char(recorded_on, 'YYYY-MM-DD'), scope, co2e_tonnes) AS line ${records} ORDER BY id`);
  const digest = createHash("sha256");
  let recordCount = 0;
  for (let size = BATCH; size === BATCH; recordCount += size) {
    await takeTurn();
    const lines = await sql.query<{ line: string }>(`FETCH ${BATCH} FROM snapshot`);
    size = lines.length;
    digest.update(lines.map(({ line }) => `${line}\n`).join(""));
  }
  await sql.script("CLOSE snapshot");
  const sums = await sql.query<ScopeTotal>(
    `SELECT scope, trim_scale(sum(co2e_tonnes))::text AS "co2eTonnes" ${records} GROUP BY scope`,
  );
  const totals = scopes.map((scope) => sums.find((sum) => sum.scope === scope) ?? { scope, co2eTonnes: "0" });
  return { digest: digest.digest("hex"), recordCount, totals };
}
