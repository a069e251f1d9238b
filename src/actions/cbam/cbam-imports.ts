import { type DeclarationRow, type ImportedRow, listStoredImports } from "../../data/compliance/cbam.js";
import { deleteImport, insertImports, replaceImport } from "../../data/compliance/write-cbam.js";
import { write } from "../../data/database/transaction.js";
import type { SqlSession } from "../../data/database/types.js";
import { findGood } from "../../domain/cbam/goods.js";
import { MAX_CBAM_LINES } from "../../domain/cbam/line.js";
import type { CbamQuarter } from "../../domain/cbam/price.js";
import type { DeclaredImport } from "../../domain/compliance/cbam-declaration.js";
import { mapInTurns, type TimeLimit } from "../../turns.js";
import { ActionError, readInput, requireSize } from "../action-error.js";
import type { ActorContext } from "../actor-context.js";
import { estimateImports, loadCbamRules } from "./apply-rules.js";
import { requireDeclaration, requireOpen } from "./declarations.js";
import { type LineInput, readAndApply } from "./read-line.js";

/** Goods imported in a quarter, as the caller sends them. */
export interface ImportInput {
  readonly quarter: CbamQuarter;
  readonly goods: LineInput;
}

/** The declaration whose imports change, at the version that the caller expects. */
interface Expected {
  readonly declarationId: string;
  readonly expectedVersion?: number | null | undefined;
}

/**
 * Adds all of the imports to a declaration, or none, and returns them. Throws InvalidInput, the errors of
 * `estimateImports`, NOT_FOUND, and CONFLICT if the declaration is submitted or full, or if its version is not the
 * expected one. `pathOf` returns the input path of an import's goods by its index.
 */
export async function addImports(
  { resources, writer, request }: ActorContext,
  { imports, ...expected }: Expected & { readonly imports: readonly ImportInput[] },
  pathOf = (index: number) => `imports[${index}].goods.`,
): Promise<readonly ImportedRow[]> {
  const count = imports.length;
  requireSize("declaration", "imports", count, MAX_CBAM_LINES);
  const read = await readImports(imports, request, pathOf);
  return write(resources.database, writer, async (sql) => {
    const { id, year } = await requireOpenDeclaration(sql, writer.organizationId, expected);
    await estimateImports(year, read, request, pathOf);
    const existing = await listStoredImports(sql, writer.organizationId, id);
    if (existing.length + count > MAX_CBAM_LINES) {
      const message = `A declaration can have at most ${MAX_CBAM_LINES} imports. Combine imports of the same goods and quarter.`;
      throw new ActionError("CONFLICT", "declaration", message, "imports");
    }
    const ids = await insertImports(sql, writer.organizationId, id, read);
    return read.map((imported, index) => ({ ...imported, id: ids[index] ?? "", declarationId: id }));
  });
}

/** Input path of the goods of a single import. */
const PATH_OF_SINGLE = () => "goods.";

/** Adds one import to a declaration; see `addImports`. */
export async function addImport(caller: ActorContext, input: Expected & ImportInput): Promise<ImportedRow> {
  const { quarter, goods, ...expected } = input;
  const [added] = await addImports(caller, { ...expected, imports: [{ quarter, goods }] }, PATH_OF_SINGLE);
  if (!added) throw new Error("the added import was not returned");
  return added;
}

/** An import of a declaration. */
interface ExpectedImport extends Expected {
  readonly id: string;
}

/** Replaces an import of a declaration and returns it. Throws the errors of `addImports`. */
export async function updateImport(
  { resources, writer, request }: ActorContext,
  { id, quarter, goods, ...expected }: ExpectedImport & ImportInput,
): Promise<ImportedRow> {
  const read = await readImports([{ quarter, goods }], request, PATH_OF_SINGLE);
  return write(resources.database, writer, async (sql) => {
    const declaration = await requireOpenDeclaration(sql, writer.organizationId, expected);
    await estimateImports(declaration.year, read, request, PATH_OF_SINGLE);
    const [imported] = read;
    if (imported && (await replaceImport(sql, declaration.id, id, imported))) {
      return { ...imported, id, declarationId: declaration.id };
    }
    throw noImport(id, declaration);
  });
}

/** Removes an import from a declaration and returns the declaration's id. Throws NOT_FOUND and CONFLICT. */
export function removeImport(
  { resources, writer }: ActorContext,
  { id, ...expected }: ExpectedImport,
): Promise<string> {
  return write(resources.database, writer, async (sql) => {
    const declaration = await requireOpenDeclaration(sql, writer.organizationId, expected);
    if (await deleteImport(sql, declaration.id, id)) return declaration.id;
    throw noImport(id, declaration);
  });
}

/** Reads imports, yielding to other requests in between. Throws the faults of all of them together. */
async function readImports(
  imports: readonly ImportInput[],
  request: TimeLimit,
  pathOf: (index: number) => string,
): Promise<readonly DeclaredImport[]> {
  const rules = await loadCbamRules();
  const input = readInput();
  const read = await mapInTurns(imports.entries(), request, ([index, { quarter, goods }]) =>
    input.read(() => ({
      ...readAndApply("declaration", pathOf(index), goods, ({ cnCode }) => findGood(rules, cnCode)).line,
      quarter,
    })),
  );
  input.finish();
  return read.filter((imported) => imported !== undefined);
}

async function requireOpenDeclaration(
  sql: SqlSession,
  organizationId: string,
  { declarationId, expectedVersion }: Expected,
): Promise<DeclarationRow> {
  const declaration = await requireDeclaration(sql, organizationId, declarationId, expectedVersion);
  requireOpen(declaration);
  return declaration;
}

const noImport = (id: string, { year }: DeclarationRow) =>
  new ActionError("NOT_FOUND", "declaration", `The declaration of ${year} has no import with the id ${id}.`);
