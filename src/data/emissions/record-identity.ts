import { hash } from "node:crypto";
import { FILE_TEXT_NAMES } from "../../domain/emissions/record-parts.js";
import type { RecordContent } from "../../domain/emissions/records.js";
import { asUuid } from "../../domain/texts/uuid.js";

/** Text columns that files gained after `category` and `source`. */
const ADDED_TEXTS = FILE_TEXT_NAMES.filter((name) => name !== "category" && name !== "source");

/** Returns a deterministic id for a key within an organization. */
export const idOf = (organizationId: string, ...key: readonly (string | number)[]): string =>
  asUuid(digest(JSON.stringify([organizationId, ...key])));

/** Returns the first 128 bits of SHA-256 in hexadecimal, which PostgreSQL reads as a uuid. */
function digest(text: string): string {
  return hash("sha256", text, "hex").slice(0, 32);
}

/**
 * Returns the id of a record from a bundle or a CSV file: a digest of the organization and the record's reference, or
 * of its content if it has no reference. Loading it again thus finds the same record. Identical records get the same
 * id.
 */
export function recordId(organizationId: string, record: RecordContent): string {
  const { reference, recorded_on, scope, co2e_tonnes, facility, category, source } = record;
  if (reference !== undefined) return digest(JSON.stringify([organizationId, reference]));
  // Newer columns are included only if they have a value, which keeps the ids of older records unchanged.
  const added = ADDED_TEXTS.flatMap((name) => (record[name] === undefined ? [] : [[name, record[name]]]));
  return digest(
    JSON.stringify([organizationId, recorded_on, scope, co2e_tonnes, facility, category, source, ...added]),
  );
}

/** Returns SQL for the id of the `nth` (from 2) record with the same content in a file, if it has no reference. */
export function repeatedIdSql(id: string, nth: string): string {
  const text = `replace(${id}::text, '-', '') || ' ' || ${nth}`;
  return `encode(substring(sha256(convert_to(${text}, 'UTF8')) FOR 16), 'hex')::uuid`;
}

/** Creates a function that returns the ids of one file's records. Call it for each record in order. */
export function createRecordIdentity(organizationId: string): (record: RecordContent) => string {
  const seen = new Map<string, number>();
  return (record) => {
    const id = recordId(organizationId, record);
    if (record.reference !== undefined) return id;
    const nth = (seen.get(id) ?? 0) + 1;
    seen.set(id, nth);
    // Keep in sync with repeatedIdSql.
    return nth === 1 ? id : digest(`${id} ${nth}`);
  };
}
