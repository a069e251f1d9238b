import { type DeclarationRow, listStoredImports } from "../../data/compliance/cbam.js";
import {
  findDeclarationOfYear,
  insertDeclaration,
  lockDeclaration,
  setDeclarationStatus,
  updateDeclaration,
} from "../../data/compliance/write-cbam.js";
import { write } from "../../data/database/transaction.js";
import type { SqlSession } from "../../data/database/types.js";
import { isOver } from "../../domain/compliance/cbam-declaration.js";
import { isoDate } from "../../domain/window.js";
import { ActionError, InvalidInput, requireVersion } from "../action-error.js";
import type { ActorContext } from "../actor-context.js";
import { changesNothing, type WriteResult } from "../idempotency.js";
import { assessImports, readYear } from "./apply-rules.js";

/**
 * Returns a declaration of the organization, locked until the transaction ends. Throws NOT_FOUND, and CONFLICT if its
 * version is not the expected one.
 */
export async function requireDeclaration(
  sql: SqlSession,
  organizationId: string,
  id: string,
  expectedVersion: number | null | undefined,
): Promise<DeclarationRow> {
  const declaration = await lockDeclaration(sql, organizationId, id);
  if (!declaration) {
    throw new ActionError("NOT_FOUND", "declaration", `There is no CBAM declaration with the id ${id}.`);
  }
  requireVersion("declaration", declaration.version, expectedVersion);
  return declaration;
}

const conflict = (message: string, about: string) =>
  new ActionError("CONFLICT", "declaration", message, about);

/** Throws CONFLICT for a submitted declaration. */
export function requireOpen({ year, status }: DeclarationRow): void {
  if (status !== "submitted") return;
  throw conflict(`The declaration of ${year} has been submitted. Amend it first.`, "status");
}

/** Creates the declaration of a year; an existing one is unchanged. Throws NOT_COVERED for a year outside CBAM. */
export function createDeclaration({ resources, writer }: ActorContext, given: number): Promise<WriteResult> {
  const year = readYear("declaration", "year", given);
  return write(resources.database, writer, async (sql) => {
    const id = await insertDeclaration(sql, writer.organizationId, year);
    if (id !== null) return { id, isNew: true };
    const existing = await findDeclarationOfYear(sql, writer.organizationId, year);
    if (!existing)
      throw new Error("the existing declaration disappeared, although nothing deletes declarations");
    return { id: existing.id, isNew: false };
  });
}

/** A declaration to change, at the version that the caller expects. */
interface ExpectedDeclaration {
  readonly id: string;
  readonly expectedVersion?: number | null | undefined;
}

/** Changes to a declaration. An omitted value is unchanged; null for `certificatesHeld` clears it. */
export interface DeclarationChanges extends ExpectedDeclaration {
  readonly year?: number | null | undefined;
  readonly certificatesHeld?: number | null | undefined;
}

/**
 * Changes the given values of a declaration and returns its id. Throws InvalidInput, NOT_COVERED and NOT_FOUND. Throws
 * CONFLICT if the version is not the expected one, or if the year changes and the declaration is not a draft or the new
 * year already has one.
 */
export function changeDeclaration(
  { resources, writer }: ActorContext,
  { id, year: givenYear, certificatesHeld: held, expectedVersion }: DeclarationChanges,
): Promise<string> {
  if (givenYear == null && held === undefined) {
    throw new InvalidInput("declaration", null, "Nothing to change: give a year or certificatesHeld.");
  }
  if (held != null && held < 0) {
    throw new InvalidInput("declaration", "certificatesHeld", `must be 0 or more (got ${held})`);
  }
  return write(resources.database, writer, async (sql) => {
    const old = await requireDeclaration(sql, writer.organizationId, id, null);
    const year = givenYear == null ? old.year : readYear("declaration", "year", givenYear);
    const certificatesHeld = held === undefined ? old.certificatesHeld : held === null ? null : String(held);
    if (changesNothing(old, { year, certificatesHeld })) return old.id;
    requireVersion("declaration", old.version, expectedVersion);
    if (year !== old.year) {
      if (old.status !== "draft") throw conflict("Only a draft can be moved to another year.", "status");
      if (await findDeclarationOfYear(sql, writer.organizationId, year)) {
        throw conflict(`A declaration of ${year} already exists.`, "year");
      }
    }
    await updateDeclaration(sql, old.id, { year, certificatesHeld });
    return old.id;
  });
}

/**
 * Submits a declaration and returns its id. Stores the assessment of its imports with the digest of the figures. Throws
 * NOT_FOUND, and CONFLICT if the year has not ended, the declaration is already submitted, or the version is not the
 * expected one.
 */
export function submitDeclaration(
  { resources, writer, now, request }: ActorContext,
  { id, expectedVersion }: ExpectedDeclaration,
): Promise<string> {
  return write(resources.database, writer, async (sql) => {
    const declaration = await requireDeclaration(sql, writer.organizationId, id, expectedVersion);
    const { year, status } = declaration;
    if (status === "submitted")
      throw conflict(`The declaration of ${year} has already been submitted.`, "status");
    const today = isoDate(now);
    if (!isOver(year, today)) {
      throw conflict(
        `The declaration of ${year} can be submitted from ${year + 1}-01-01 (today is ${today}).`,
        "year",
      );
    }
    const imports = await listStoredImports(sql, writer.organizationId, declaration.id);
    await setDeclarationStatus(sql, declaration.id, "submitted", await assessImports(year, imports, request));
    return declaration.id;
  });
}

/**
 * Opens a submitted declaration for changes and returns its id. Throws NOT_FOUND, and CONFLICT if it is not submitted
 * or its version is not the expected one.
 */
export function amendDeclaration(
  { resources, writer }: ActorContext,
  { id, expectedVersion }: ExpectedDeclaration,
): Promise<string> {
  return write(resources.database, writer, async (sql) => {
    const { year, status, ...declaration } = await requireDeclaration(
      sql,
      writer.organizationId,
      id,
      expectedVersion,
    );
    if (status !== "submitted") {
      throw conflict(`The declaration of ${year} is already open for changes.`, "status");
    }
    await setDeclarationStatus(sql, declaration.id, "amended", null);
    return declaration.id;
  });
}
