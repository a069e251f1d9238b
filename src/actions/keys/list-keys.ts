import { listKeys as listRows } from "../../data/keys/keys.js";
import { requireOrganization } from "../people/organizations.js";
import type { KeyContext } from "./key-checks.js";
import { type KeySummary, summarizeKey } from "./key-summary.js";

/**
 * Lists the keys of an organization by its slug, or of all organizations; oldest first. Throws ActionError for an
 * unknown slug.
 */
export async function listKeys(
  { database, now }: KeyContext,
  slug: string | undefined,
): Promise<KeySummary[]> {
  const organization = slug === undefined ? undefined : await requireOrganization(database, slug);
  const keys = await listRows(database, organization?.id);
  return keys.map((key) => summarizeKey(key, now));
}
