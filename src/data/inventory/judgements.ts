import type { LineJudgement } from "../../domain/inventory/inventory.js";
import type { InventoryLine } from "../../domain/inventory/lines.js";
import { Prisma } from "../../generated/prisma/client.js";
import type { TenantReader } from "../tenant/reader.js";
import { own } from "../tenant/sources.js";

/** Judgement of a line in a year's inventory. */
export interface JudgementRow {
  readonly year: number;
  readonly line: InventoryLine;
  readonly state: LineJudgement;
  readonly reason: string;
  readonly version: number;
}

export const JUDGEMENT_COLUMNS = `year, line::text AS line, state::text AS state, reason, version`;

/** Lists a year's judgements, at most one per line. */
export const listJudgements = (
  tenant: Pick<TenantReader, "query">,
  year: number,
): Promise<readonly JudgementRow[]> =>
  tenant.query<JudgementRow>(
    Prisma.sql`SELECT ${Prisma.raw(JUDGEMENT_COLUMNS)} FROM ${own.line_judgements} WHERE year = ${year}::int`,
  );
