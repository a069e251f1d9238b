import type { SqlSession } from "../database/types.js";
import { JUDGEMENT_COLUMNS, type JudgementRow } from "./judgements.js";

/** A line in a year's inventory. */
export type JudgedLine = Pick<JudgementRow, "year" | "line">;

/** Locks and returns the judgement of a line; null if it does not exist. */
export async function lockJudgement(
  sql: SqlSession,
  organizationId: string,
  { year, line }: JudgedLine,
): Promise<JudgementRow | null> {
  const [row] = await sql.query<JudgementRow>(
    `SELECT ${JUDGEMENT_COLUMNS} FROM line_judgements
     WHERE organization_id = $1::uuid AND year = $2::int AND line = $3::text::inventory_line FOR NO KEY UPDATE`,
    [organizationId, year, line],
  );
  return row ?? null;
}

/** Adds or replaces the judgement of a line. */
export async function setJudgement(
  sql: SqlSession,
  organizationId: string,
  { year, line, state, reason }: Omit<JudgementRow, "version">,
): Promise<JudgementRow> {
  const [row] = await sql.query<JudgementRow>(
    `INSERT INTO line_judgements (organization_id, year, line, state, reason)
     VALUES ($1::uuid, $2::int, $3::text::inventory_line, $4::text::line_state, $5)
     ON CONFLICT (organization_id, year, line) DO UPDATE SET state = EXCLUDED.state, reason = EXCLUDED.reason
     RETURNING ${JUDGEMENT_COLUMNS}`,
    [organizationId, year, line, state, reason],
  );
  if (!row) throw new Error("the database returned no row");
  return row;
}

/** Deletes and returns the judgement of a line; null if it does not exist. */
export async function deleteJudgement(
  sql: SqlSession,
  organizationId: string,
  { year, line }: JudgedLine,
): Promise<JudgementRow | null> {
  const [row] = await sql.query<JudgementRow>(
    `DELETE FROM line_judgements WHERE organization_id = $1::uuid AND year = $2::int AND line = $3::text::inventory_line
     RETURNING ${JUDGEMENT_COLUMNS}`,
    [organizationId, year, line],
  );
  return row ?? null;
}
