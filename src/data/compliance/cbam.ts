import type { CbamPrecursor } from "../../domain/cbam/line.js";
import type { Assessment, DeclaredImport } from "../../domain/compliance/cbam-declaration.js";
import { type CbamDeclaration, type CbamImport, Prisma } from "../../generated/prisma/client.js";
import type { SqlSession } from "../database/types.js";
import { countRows, type KeysetOrder, type Page, type PageRequest, readPage } from "../tenant/keyset.js";
import type { TenantReader } from "../tenant/reader.js";
import { own } from "../tenant/sources.js";

export interface DeclarationRow
  extends Readonly<Pick<CbamDeclaration, "id" | "year" | "status" | "version">> {
  readonly certificatesHeld: string | null;
  /** Assessment at submission; null before that and during an amendment. */
  readonly assessment: Assessment | null;
}

/** An import. Amounts are plain decimals. */
export interface ImportedRow extends DeclaredImport, Readonly<Pick<CbamImport, "id" | "declarationId">> {
  readonly precursors: readonly CbamPrecursor[];
}

export const DECLARATION_COLUMNS = `d.id, year, status::text AS status, certificates_held::text AS "certificatesHeld", assessment, version`;
export const IMPORT_COLUMNS = `i.id, declaration_id AS "declarationId", quarter::text AS quarter, cn_code AS "cnCode", country::text AS country,
  trim_scale(mass_t)::text AS "massT", basis::text AS basis, route, good, trim_scale(direct_tco2e_per_t)::text AS "directTco2ePerT",
  trim_scale(indirect_tco2e_per_t)::text AS "indirectTco2ePerT", precursors, trim_scale(reduction_tco2e)::text AS "reductionTco2e"`;
const DECLARATIONS = Prisma.sql`${own.cbam_declarations} AS d`;

/** Finds the declarations with these ids, unordered. Unknown ids are left out. */
export function findDeclarations(
  tenant: TenantReader,
  ids: readonly string[],
): Promise<readonly DeclarationRow[]> {
  return tenant.query<DeclarationRow>(
    Prisma.sql`SELECT ${Prisma.raw(DECLARATION_COLUMNS)} FROM ${DECLARATIONS} WHERE d.id = ANY(${[...ids]}::uuid[])`,
  );
}

const BY_YEAR: KeysetOrder = { columns: [["year", "bigint"]], descending: false };

/** Reads a page of declarations, by year. */
export function listDeclarations(tenant: TenantReader, page: PageRequest): Promise<Page<DeclarationRow>> {
  const list = { select: Prisma.raw(DECLARATION_COLUMNS), from: DECLARATIONS, where: [], order: BY_YEAR };
  return readPage<DeclarationRow>(tenant, list, page);
}

/** Counts declarations. */
export const countDeclarations = (tenant: TenantReader): Promise<number> =>
  countRows(tenant, { from: DECLARATIONS, where: [] });

/** Lists the imports of these declarations, by quarter, code and country. */
export function listImports(
  tenant: TenantReader,
  declarationIds: readonly string[],
): Promise<readonly ImportedRow[]> {
  return tenant.query<ImportedRow>(Prisma.sql`
    SELECT ${Prisma.raw(IMPORT_COLUMNS)} FROM ${own.cbam_imports} AS i WHERE declaration_id = ANY(${[...declarationIds]}::uuid[])
    ORDER BY i.quarter, i.cn_code, i.country, i.id`);
}

/** Lists the imports of one of the organization's declarations, in the order of `listImports`. */
export function listStoredImports(
  sql: SqlSession,
  organizationId: string,
  declarationId: string,
): Promise<readonly ImportedRow[]> {
  return sql.query<ImportedRow>(
    `SELECT ${IMPORT_COLUMNS} FROM cbam_imports AS i WHERE organization_id = $1::uuid AND declaration_id = $2::uuid
     ORDER BY i.quarter, i.cn_code, i.country, i.id`,
    [organizationId, declarationId],
  );
}
