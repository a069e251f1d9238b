import { hash } from "node:crypto";
import { write } from "../../data/database/transaction.js";
import type { Database } from "../../data/database/types.js";
import { type Counts, type UpsertTarget, upsert } from "../../data/database/upsert.js";
import { readUnit } from "../../domain/ghg/units.js";
import { asUuid } from "../../domain/texts/uuid.js";
import { type ReferenceFactor, readReferenceFactors } from "../../files/reference/reference-factors.js";
import { TABLES } from "../../generated/tables.js";

const FACTORS: UpsertTarget = {
  table: TABLES.EmissionFactor,
  key: ["id"],
  values: [
    "activity",
    "other_name",
    "detail",
    "region",
    "scope",
    "category",
    "publisher_category",
    "gas",
    "factor",
    "unit",
    "dimension",
    "qualifier",
    "source",
    "source_url",
    "source_year",
    "source_factor_id",
    "verified",
  ],
};

/** Columns missing from rows of earlier releases. */
const ADDED = ["publisher_category", "source_factor_id"];

/**
 * Loads the emission factors of `folder` (`prisma/reference`), which every organization sees. Adds missing columns to
 * factors of earlier releases.
 */
export async function loadFactors(database: Database, folder: string): Promise<Counts> {
  const factors = await readReferenceFactors(folder);
  const rows = factors.map(({ publication, ...factor }) => {
    const { name, dimension, qualifier } = readUnit(factor.unit);
    return {
      ...factor,
      id: referenceFactorId({ publication, ...factor }),
      scope: `scope_${factor.scope}`,
      unit: name,
      dimension,
      qualifier,
      verified: true,
    };
  });
  return write(database, "load-factors", (sql) => upsert(sql, FACTORS, rows, ADDED));
}

/** Returns the id of a reference factor. It is the same in every database. */
export function referenceFactorId({ id, publication, source_factor_id, ...factor }: ReferenceFactor): string {
  if (id !== null) return id;
  const { activity, detail, region, scope, category, unit } = factor;
  const identity = source_factor_id ?? [activity, detail, region, scope, category, unit];
  return digestId(JSON.stringify([publication, identity]));
}

/** Returns a UUID of version 8 (RFC 9562) derived from a string. */
function digestId(text: string): string {
  const digest = hash("sha256", text, "hex");
  return asUuid(`${digest.slice(0, 12)}8${digest.slice(13, 16)}8${digest.slice(17, 32)}`);
}
