import type { Access } from "../../../access/context.js";
import { listAllFactors } from "../../../data/factors/factors.js";
import { buildFactorIndex, type FactorIndex } from "../../../data/factors/index/factor-index.js";
import type { RequestInfo } from "../../../http/request-info.js";
import { readConcepts } from "../selection/activity-words.js";

/** Cache key of the published factors, which belong to no organization. */
const PUBLISHED = "";
const TABLE = "emission_factors";
const TABLES = new Set([TABLE]);

/** Returns the indexes of the factors that a caller can see: the published ones and the organization's own. */
export function findIndexes(
  { resources, tenant }: Pick<Access, "resources" | "tenant">,
  request: Pick<RequestInfo, "now" | "inTime">,
): Promise<readonly FactorIndex[]> {
  const find = (owner: string) =>
    resources.factorIndexes.getOrCompute(owner, owner, request, async () => {
      const rows = await listAllFactors(resources.database, owner === PUBLISHED ? null : owner);
      // Sets the order of factors that match a query equally well. Ids are random.
      rows.sort((one, other) => (one.activity < other.activity ? -1 : Number(one.activity > other.activity)));
      const value = await buildFactorIndex(rows, await readConcepts(), request);
      return { value, basis: { organizationId: owner, tables: TABLES, until: Number.POSITIVE_INFINITY } };
    });
  tenant.noteRead(TABLE);
  return Promise.all([find(PUBLISHED), find(tenant.organizationId)]);
}
