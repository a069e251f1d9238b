import type { Access } from "../../../access/context.js";
import { listAllFactors } from "../../../data/factors/factors.js";
import { buildFactorIndex, type FactorIndex } from "../../../data/factors/index/factor-index.js";
import type { RequestTime } from "../../../time-limit.js";
import { mapInTurns, UNLIMITED } from "../../../turns.js";
import { readConcepts } from "../selection/activity-words.js";
import { nameReader } from "../selection/factor-finder.js";

/** Cache key of the published factors, which belong to no organization. */
const PUBLISHED = "";
const TABLE = "emission_factors";
const TABLES = new Set([TABLE]);

/** Returns the indexes of the factors that a caller can see: the published ones and the organization's own. */
export function findIndexes(
  { resources, tenant, loaders }: Pick<Access, "resources" | "tenant" | "loaders">,
  { now, inTime }: RequestTime,
): Promise<readonly FactorIndex[]> {
  tenant.noteRead(TABLE);
  return loaders.shared(["factorIndexes"], () =>
    inTime(() =>
      Promise.all([PUBLISHED, tenant.organizationId].map((owner) => findIndex(resources, owner, now))),
    ),
  );
}

/** Prepares the published factors for searches and calculations, so that the first ones need not wait for that. */
export async function prepareFactors(resources: IndexResources, now: Date): Promise<void> {
  const { factors } = await findIndex(resources, PUBLISHED, now);
  const readNames = await nameReader();
  await mapInTurns(factors, UNLIMITED, ({ row }) => readNames(row));
}

type IndexResources = Pick<Access["resources"], "database" | "factorIndexes">;

/** Finds an owner's index. Builds it even if the request that needs it runs out of time: the next one then finds it. */
async function findIndex({ database, factorIndexes }: IndexResources, owner: string, now: Date) {
  return factorIndexes.getOrCompute(owner, owner, { now, ...UNLIMITED }, async () => {
    const rows = await listAllFactors(database, owner === PUBLISHED ? null : owner);
    // Sets the order of factors that match a query equally well. Ids are random.
    rows.sort((one, other) => (one.activity < other.activity ? -1 : Number(one.activity > other.activity)));
    const value = await buildFactorIndex(rows, await readConcepts(), UNLIMITED);
    return { value, basis: { organizationId: owner, tables: TABLES, until: Number.POSITIVE_INFINITY } };
  });
}
