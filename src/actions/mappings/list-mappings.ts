import type { Database } from "../../data/database/types.js";
import { findFactors } from "../../data/factors/factors.js";
import type { MappingRow } from "../../data/mappings/mappings.js";
import { listKeyedMappings } from "../../data/mappings/write-mappings.js";
import { readInTransaction } from "../../data/tenant/reader.js";
import { foldText } from "../../domain/texts/fold.js";
import { requireOrganizationId } from "../people/organizations.js";

/** A mapping with the name of its factor. */
export interface DescribedMapping extends MappingRow {
  /** Activity, region, publication and year; null if the factor no longer exists. */
  readonly factor: string | null;
}

/**
 * Lists the mappings of the organization with this slug whose text contains `search`, by text. Throws NOT_FOUND for an
 * unknown slug.
 */
export function describeMappings(
  database: Database,
  slug: string,
  search: string | undefined,
): Promise<DescribedMapping[]> {
  return database.transaction(async (sql) => {
    const organizationId = await requireOrganizationId(sql, slug);
    const wanted = foldText(search ?? "");
    const found = (await listKeyedMappings(sql, organizationId))
      .filter(({ textKey }) => textKey.includes(wanted))
      .toSorted((a, b) => (a.textKey < b.textKey ? -1 : 1));
    const ids = [...new Set(found.map(({ factorId }) => factorId))];
    const factors = await findFactors(readInTransaction(sql, organizationId), { ids });
    const names = new Map(
      factors.map(({ id, activity, region, source, sourceYear }) => [
        id,
        `${activity}, ${region}, ${source} (${sourceYear})`,
      ]),
    );
    return found.map(({ textKey: _text, unitKey: _unit, ...mapping }) => ({
      ...mapping,
      factor: names.get(mapping.factorId) ?? null,
    }));
  });
}
