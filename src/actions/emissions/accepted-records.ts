import { recordAcceptedQuestions } from "../../data/audit/accepted-questions.js";
import type { SqlSession } from "../../data/database/types.js";
import type { RecordValues } from "../../data/emissions/record-rows.js";
import { findUnusualRecords } from "../../data/emissions/unusual-records.js";
import type { ImportQuestion } from "../../domain/emissions/questions.js";
import { MAX_RECORDS } from "../../domain/emissions/record-rules.js";
import { requireAccepted } from "../questions/confirmation.js";
import { askAboutRecords } from "../questions/unusual-records.js";

/** A record about to be stored. */
type Questioned = { readonly id: string } & Partial<
  Pick<RecordValues, "recordedOn" | "co2eTonnes" | "facilityId" | "category">
>;

// Has the columns of ComparedRecords.
const SENT = `(SELECT * FROM jsonb_to_recordset($3::text::jsonb) AS sent
  (id uuid, line int, recorded_on date, co2e_tonnes numeric, facility_id uuid, category text))`;

const IS_NEW = `NOT EXISTS (SELECT FROM emission_records AS r
  WHERE r.organization_id = $1::uuid AND r.id = a.id AND r.deleted_at IS NULL)`;

/**
 * Throws CONFIRMATION_REQUIRED for unusual records that the caller has not accepted. Notes accepted questions in the
 * audit trail. Checks existing records only if `changed` is true.
 */
export async function requireAcceptedRecords(
  sql: SqlSession,
  organizationId: string,
  records: readonly Questioned[],
  accepted: readonly ImportQuestion[] | null | undefined,
  changed = false,
): Promise<void> {
  const rows = records.map(({ id, recordedOn, co2eTonnes, facilityId, category }, index) => ({
    id,
    line: index + 1,
    recorded_on: recordedOn,
    co2e_tonnes: co2eTonnes,
    facility_id: facilityId,
    category,
  }));
  const compared = {
    from: SENT,
    isFresh: changed ? "true" : IS_NEW,
    parameters: [JSON.stringify(rows)],
  };
  const unusual = await findUnusualRecords(sql, organizationId, compared, MAX_RECORDS);
  const codes = requireAccepted("record", askAboutRecords(unusual, "record"), accepted ?? []);
  if (codes.length > 0)
    await recordAcceptedQuestions(sql, new Map(unusual.first.map(({ id }) => [id, codes])));
}
