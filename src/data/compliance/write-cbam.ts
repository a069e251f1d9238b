import { randomUUID } from "node:crypto";
import type {
  Assessment,
  DeclarationStatus,
  DeclaredImport,
} from "../../domain/compliance/cbam-declaration.js";
import type { SqlSession } from "../database/types.js";
import { DECLARATION_COLUMNS, type DeclarationRow } from "./cbam.js";

/**
 * Locks a declaration until the transaction ends, and returns it; undefined if the organization has none with this id.
 */
export async function lockDeclaration(
  sql: SqlSession,
  organizationId: string,
  id: string,
): Promise<DeclarationRow | undefined> {
  const [declaration] = await sql.query<DeclarationRow>(
    `SELECT ${DECLARATION_COLUMNS} FROM cbam_declarations AS d WHERE organization_id = $1::uuid AND id = $2::uuid FOR UPDATE`,
    [organizationId, id],
  );
  return declaration;
}

/** Finds the declaration of a year; undefined if the organization has none. */
export async function findDeclarationOfYear(
  sql: SqlSession,
  organizationId: string,
  year: number,
): Promise<DeclarationRow | undefined> {
  const [declaration] = await sql.query<DeclarationRow>(
    `SELECT ${DECLARATION_COLUMNS} FROM cbam_declarations AS d WHERE organization_id = $1::uuid AND year = $2::int`,
    [organizationId, year],
  );
  return declaration;
}

/** Adds a draft; returns its id, or null if the organization already has one for that year. */
export async function insertDeclaration(
  sql: SqlSession,
  organizationId: string,
  year: number,
): Promise<string | null> {
  const id = randomUUID();
  const inserted = await sql.execute(
    `INSERT INTO cbam_declarations (id, organization_id, year) VALUES ($1::uuid, $2::uuid, $3::int)
     ON CONFLICT (organization_id, year) DO NOTHING`,
    [id, organizationId, year],
  );
  return inserted === 1 ? id : null;
}

/** Changes a locked declaration. */
export async function updateDeclaration(
  sql: SqlSession,
  id: string,
  { year, certificatesHeld }: { readonly year: number; readonly certificatesHeld: string | null },
): Promise<void> {
  await sql.execute(
    "UPDATE cbam_declarations SET year = $2::int, certificates_held = $3::text::bigint WHERE id = $1::uuid",
    [id, year, certificatesHeld],
  );
}

/** Changes the status of a locked declaration. Only a submitted declaration has an assessment. */
export async function setDeclarationStatus(
  sql: SqlSession,
  id: string,
  status: DeclarationStatus,
  assessment: Assessment | null,
): Promise<void> {
  await sql.execute(
    "UPDATE cbam_declarations SET status = $2::cbam_declaration_status, assessment = $3::text::jsonb WHERE id = $1::uuid",
    [id, status, assessment && JSON.stringify(assessment)],
  );
}

/** Increments a declaration's version after a change to its imports. */
const incrementVersion = (sql: SqlSession, declarationId: string) =>
  sql.execute("UPDATE cbam_declarations SET status = status WHERE id = $1::uuid", [declarationId]);

/** Adds imports to a locked declaration; returns their ids. */
export async function insertImports(
  sql: SqlSession,
  organizationId: string,
  declarationId: string,
  imports: readonly DeclaredImport[],
): Promise<readonly string[]> {
  const rows = imports.map((imported) => ({ id: randomUUID(), ...imported }));
  await sql.execute(
    `INSERT INTO cbam_imports (id, organization_id, declaration_id, ${COLUMNS})
     SELECT id, $1::uuid, $2::uuid, ${VALUES} FROM ${ROWS("$3")}`,
    [organizationId, declarationId, JSON.stringify(rows)],
  );
  await incrementVersion(sql, declarationId);
  return rows.map(({ id }) => id);
}

/** Replaces an import of a locked declaration. Returns false if the declaration has no such import. */
export async function replaceImport(
  sql: SqlSession,
  declarationId: string,
  id: string,
  imported: DeclaredImport,
): Promise<boolean> {
  const replaced = await sql.execute(
    `UPDATE cbam_imports AS i SET (${COLUMNS}) = (SELECT ${VALUES} FROM ${ROWS("$3")})
     WHERE declaration_id = $1::uuid AND i.id = $2::uuid`,
    [declarationId, id, JSON.stringify([{ id, ...imported }])],
  );
  if (replaced === 1) await incrementVersion(sql, declarationId);
  return replaced === 1;
}

/** Columns of an import that callers provide, and their values in ROWS. */
const COLUMNS = `quarter, cn_code, country, mass_t, basis, route, good, direct_tco2e_per_t, indirect_tco2e_per_t, precursors,
  reduction_tco2e`;
const VALUES = `quarter::cbam_quarter, "cnCode", country, "massT"::numeric, basis::cbam_basis, route, good,
  "directTco2ePerT"::numeric, "indirectTco2ePerT"::numeric, precursors, "reductionTco2e"::numeric`;
/** Imports as rows, from a JSON array of DeclaredImport. */
const ROWS = (parameter: string) =>
  `jsonb_to_recordset(${parameter}::text::jsonb) AS r(id uuid, quarter text, "cnCode" text, country text, "massT" text,
     basis text, route text, good text, "directTco2ePerT" text, "indirectTco2ePerT" text, precursors jsonb, "reductionTco2e" text)`;

/** Removes an import from a locked declaration. Returns false if the declaration has no such import. */
export async function deleteImport(sql: SqlSession, declarationId: string, id: string): Promise<boolean> {
  const deleted = await sql.execute(
    "DELETE FROM cbam_imports WHERE declaration_id = $1::uuid AND id = $2::uuid",
    [declarationId, id],
  );
  if (deleted === 1) await incrementVersion(sql, declarationId);
  return deleted === 1;
}
