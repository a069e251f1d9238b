import { EMISSION_SCOPES, type EmissionScope } from "../../domain/enums.js";
import type { IsoDate } from "../../domain/window.js";
import type { SqlSession } from "../database/types.js";

/** One of a file's largest records. */
export interface StagedRecord {
  readonly line: number;
  readonly recordedOn: IsoDate;
  readonly scope: EmissionScope;
  readonly co2eTonnes: string;
  readonly facilityId: string | null;
}

/** Summary of a file's records. Amounts are exact decimals. */
export interface StagedSummary {
  readonly records: number;
  readonly tonnes: Readonly<Record<EmissionScope | "total", string>>;
  /** Null if there are no records. */
  readonly firstDay: IsoDate | null;
  readonly lastDay: IsoDate | null;
  readonly facilities: number;
  /** Number of records dated after today. */
  readonly ahead: number;
  /** The five largest, ties in the file's order. */
  readonly largest: readonly StagedRecord[];
}

const MAX_LARGEST = 5;

/** Summarizes the arranged records of an import, in two passes. */
export async function summarizeRecords(sql: SqlSession, today: IsoDate): Promise<StagedSummary> {
  const tonnes = [
    ["total", ""],
    ...EMISSION_SCOPES.map((scope) => [scope, `FILTER (WHERE scope = '${scope}')`]),
  ];
  const [row] = await sql.query<Omit<StagedSummary, "tonnes" | "largest"> & StagedSummary["tonnes"]>(
    `SELECT coalesce(sum(records), 0)::float8 AS records, min(first_day)::text AS "firstDay", max(last_day)::text AS "lastDay",
       count(DISTINCT facility_id)::float8 AS facilities, coalesce(sum(ahead), 0)::float8 AS ahead,
       ${tonnes.map(([name, filter]) => `trim_scale(coalesce(sum(tonnes) ${filter}, 0))::text AS ${name}`).join(", ")}
     FROM (
       SELECT scope, facility_id, count(*) AS records, sum(co2e_tonnes) AS tonnes, min(recorded_on) AS first_day,
         max(recorded_on) AS last_day, count(*) FILTER (WHERE recorded_on > $1::date) AS ahead
       FROM arranged GROUP BY scope, facility_id
     ) AS parts`,
    [today],
  );
  if (row === undefined) throw new Error("the database returned no row");
  const { total, scope_1, scope_2, scope_3, ...summary } = row;
  const largest = await sql.query<StagedRecord>(
    `SELECT line::float8, recorded_on::text AS "recordedOn", scope::text, trim_scale(co2e_tonnes)::text AS "co2eTonnes",
       facility_id AS "facilityId"
     FROM arranged ORDER BY arranged.co2e_tonnes DESC, arranged.line, arranged.scope LIMIT ${MAX_LARGEST}`,
  );
  return { ...summary, tonnes: { scope_1, scope_2, scope_3, total }, largest };
}
