import { hash } from "node:crypto";
import { FILE_TEXT_NAMES } from "../../domain/emissions/record-parts.js";
import type { RecordContent } from "../../domain/emissions/records.js";
import { asUuid } from "../../domain/texts/uuid.js";

/** The texts of files except the first two. */
const ADDED_TEXTS = FILE_TEXT_NAMES.filter((name) => name !== "category" && name !== "source");

/** Returns an id that is always the same for the same values, in one organization only. */
export const idOf = (organizationId: string, ...key: readonly (string | number)[]): string =>
  asUuid(digest(JSON.stringify([organizationId, ...key])));

/** Returns the first 128 bits of SHA-256 in hexadecimal, which PostgreSQL reads as a uuid. */
function digest(text: string): string {
  return hash("sha256", text, "hex").slice(0, 32);
}

/**
 * Returns the id of a record from a bundle or a CSV file: a digest of the organization and the record's reference or,
 * without a reference, its content. A second load thus recognizes the record. Identical records have the id of the
 * first of them.
 */
export function recordId(organizationId: string, record: RecordContent): string {
  const { reference, recorded_on, scope, co2e_tonnes, facility, category, source } = record;
  if (reference !== undefined) return digest(JSON.stringify([organizationId, reference]));
  // Newer texts of files count only if they are given, so that the ids of older records are unchanged.
  const added = ADDED_TEXTS.flatMap((name) => (record[name] === undefined ? [] : [[name, record[name]]]));
  return digest(
    JSON.stringify([organizationId, recorded_on, scope, co2e_tonnes, facility, category, source, ...added]),
  );
}

/**
 * Returns SQL for the id of the `nth` (from 2) of several records of one file with the same content and no reference.
 */
export function repeatedIdSql(id: string, nth: string): string {
  const text = `replace(${id}::text, '-', '') || ' ' || ${nth}`;
  return `encode(substring(sha256(convert_to(${text}, 'UTF8')) FOR 16), 'hex')::uuid`;
}

/** Creates a function that returns the id of each record of one file. Call it in the file's order. */
export function createRecordIdentity(organizationId: string): (record: RecordContent) => string {
  const seen = new Map<string, number>();
  return (record) => {
    const id = recordId(organizationId, record);
    if (record.reference !== undefined) return id;
    const nth = (seen.get(id) ?? 0) + 1;
    seen.set(id, nth);
    // The same as repeatedIdSql.
    return nth === 1 ? id : digest(`${id} ${nth}`);
  };
}
