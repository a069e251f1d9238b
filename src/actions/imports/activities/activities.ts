import type { SqlSession } from "../../../data/database/types.js";
import { addChoices } from "../../../data/imports/choices.js";
import { readInTransaction } from "../../../data/tenant/reader.js";
import type { ActivityReport } from "../../../domain/emissions/activity-report.js";
import type { RowReader } from "../../../files/csv/rows/row-reader.js";
import { createChoices, listUsed } from "./choices.js";
import { groupActivities } from "./groups.js";
import { reportActivities } from "./report.js";
import { resolveActivities } from "./resolve.js";

/**
 * Resolves the activities of a staged file, and stores how to calculate their rows. Rows of an unresolved activity get
 * no tonnes.
 */
export async function chooseFactors(
  sql: SqlSession,
  organizationId: string,
  { activities, newFacilities }: Pick<RowReader, "activities" | "newFacilities">,
): Promise<ActivityReport> {
  const groups = groupActivities(activities, (facility) => newFacilities.get(facility)?.country ?? null);
  const resolved = await resolveActivities(sql, organizationId, groups);
  const found = resolved.filter((one) => "resolution" in one);
  const choices = await createChoices(readInTransaction(sql, organizationId), found);
  await addChoices(sql, [...choices.values()].flat());
  return reportActivities(
    resolved.map((one) => {
      const { group } = one;
      if (!("resolution" in one)) return { group, by: null, factors: [], candidates: one.candidates };
      const { resolution } = one;
      const used = listUsed(group, resolution).flatMap((edition) => edition?.factor ?? []);
      const factors = [...new Map(used.map((factor) => [factor.id, factor])).values()];
      const isUsable = (choices.get(group) ?? []).length > 0;
      return { group, by: isUsable ? resolution.by : null, factors: isUsable ? factors : [], candidates: [] };
    }),
  );
}
