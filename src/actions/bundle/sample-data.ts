import { randomUUID } from "node:crypto";
import { write } from "../../data/database/transaction.js";
import { analyze } from "../../data/database/upkeep/analyze.js";
import { hasRecords } from "../../data/emissions/write-records.js";
import { findFactors } from "../../data/factors/factors.js";
import { completeImport, IMPORTED_TABLES, insertImport } from "../../data/imports/imports.js";
import { insertFacilities } from "../../data/imports/write-records.js";
import { listFacilityIds } from "../../data/organizations/organizations.js";
import { SAMPLE_FOLDER } from "../../paths.js";
import { ActionError, InvalidInput } from "../action-error.js";
import type { ActorContext } from "../actor-context.js";
import { requireFewFacilities } from "../facilities/facility-limit.js";
import { takeTurn } from "../imports/one-at-a-time.js";
import { listMonthEnds, readRecipe, SAMPLE_MONTHS } from "./sample.js";
import { calculateSample, insertSample } from "./sample-records.js";

/** File name shown for the import. */
const NAME = "Sample data";

const NOTE = "Sample data: the amount is invented.";

/** Prefix of the sample's codes and references, so that nobody mistakes them for real ones. */
const PREFIX = "SAMPLE-";

/**
 * Adds invented records of the latest complete months, and their facilities, to the user's organization. Returns the id
 * of the import, which can be undone. Throws CONFLICT if the organization has records, VALIDATION_FAILED unless
 * `months` is from 1 to 24, and FACTOR_NOT_FOUND if a factor of the sample is not loaded.
 */
export async function loadSampleData(
  { resources, tenant, principal, writer, now, request }: ActorContext,
  months: number,
): Promise<string> {
  if (months < 1 || months > SAMPLE_MONTHS)
    throw new InvalidInput("import", "months", `must be from 1 to ${SAMPLE_MONTHS} (got ${months})`);
  const { organizationId } = writer;
  const { factors, facilities, activities } = await readRecipe(SAMPLE_FOLDER);
  const wanted = Object.values(factors);
  const found = await findFactors(tenant, {
    names: wanted.flatMap(({ activity = [] }) => activity),
    sourceFactorIds: wanted.flatMap(({ source_factor_id: id = [] }) => id).map((id) => id.toLowerCase()),
  });
  const recipe = {
    factors,
    activities: activities.map((one) => ({ ...one, facility: `${PREFIX}${one.facility}` })),
  };
  const cited = found.filter(({ isOwn }) => !isOwn);
  const records = await calculateSample(recipe, listMonthEnds(now, months), cited, request);
  const id = randomUUID();
  const work = async (sql: Parameters<typeof hasRecords>[0]) => {
    await takeTurn(sql, principal.organization.slug, writer);
    if (await hasRecords(sql, organizationId)) {
      const message =
        "The organization already has records. Sample data can be added only to one without records.";
      throw new ActionError("CONFLICT", "import", message);
    }
    await insertImport(sql, organizationId, { id, file: NAME, now, isSample: true });
    const existing = await listFacilityIds(sql, organizationId);
    const missing = facilities
      .map((one) => ({ ...one, id: randomUUID(), code: `${PREFIX}${one.code}` }))
      .filter(({ code }) => !existing.has(code));
    await insertFacilities(sql, organizationId, id, missing);
    const owner = { organizationId, createdBy: writer.actor.id, importId: id };
    const noted = records.map((record) => ({ ...record, note: NOTE }));
    const counts = await insertSample(sql, owner, noted);
    await completeImport(sql, organizationId, id, { ...counts, facilitiesCreated: missing.length });
    if (missing.length > 0) await requireFewFacilities(sql, organizationId);
  };
  await write(resources.database, writer, work, undefined, {
    mayTakeLong: true,
    scope: "manage:organization",
  });
  await analyze(resources.database, IMPORTED_TABLES);
  return id;
}
