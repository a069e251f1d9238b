import { type Writer, write } from "../../data/database/transaction.js";
import type { Database, SqlSession } from "../../data/database/types.js";
import { type FactorRow, findFactors } from "../../data/factors/factors.js";
import type { MappingRow } from "../../data/mappings/mappings.js";
import { listKeyedMappings, type NewMapping, writeMappings } from "../../data/mappings/write-mappings.js";
import { lockOrganizationRow } from "../../data/organizations/lock-row.js";
import { readInTransaction } from "../../data/tenant/reader.js";
import {
  applyReading,
  findReading,
  listReadings,
  MAX_MAPPINGS,
  MAX_SET,
  mappingKeyOf,
  nameOfKey,
} from "../../domain/ghg/activity-mapping.js";
import { isConvertible, readUnit } from "../../domain/ghg/units.js";
import { TEXT_LIMITS } from "../../domain/texts/text-limits.js";
import { isUuid } from "../../domain/texts/uuid.js";
import { ActionError, type InputReader, InvalidInput, readInput, requireSize } from "../action-error.js";
import { readText } from "../read-text.js";
import { readRegion } from "./region.js";

/** The factor to use for a text, as the caller sends it. */
export interface MappingInput {
  readonly text: string;
  readonly unit: string;
  /** The meaning of `unit`, if it is ambiguous. May be omitted if the factor decides it. */
  readonly unitAs?: string | null | undefined;
  /** Any name or code of a region; all regions if omitted. */
  readonly region?: string | null | undefined;
  readonly factorId: string;
  readonly fixedYear?: boolean | null | undefined;
}

/** The writer of mappings, and their organization. */
export interface MappingWriter {
  readonly writer: Writer;
  readonly organizationId: string;
  readonly now: Date;
}

/**
 * Sets 1 to 500 mappings, all or none, and returns them in order. A mapping replaces the existing one for its text,
 * unit and region. Throws VALIDATION_FAILED with all faults, with paths such as `input[3].factorId`, and CONFLICT if
 * the organization would have more than 10,000 mappings.
 */
export function setMappings(
  database: Database,
  { writer, organizationId, now }: MappingWriter,
  given: readonly MappingInput[],
): Promise<readonly MappingRow[]> {
  requireSize("mapping", "input", given.length, MAX_SET, "mappings");
  const work = async (sql: SqlSession) => {
    await lockOrganizationRow(sql, organizationId);
    const mappings = await readMappings(sql, organizationId, given);
    const userId = typeof writer === "string" ? null : (writer.actor?.id ?? null);
    const count = await writeMappings(sql, { organizationId, userId, now }, mappings);
    if (count > MAX_MAPPINGS) {
      const message = `An organization can have at most ${MAX_MAPPINGS} mappings. Delete some that no file needs.`;
      throw new ActionError("CONFLICT", "mapping", message, "input");
    }
    const rows = await listKeyedMappings(sql, organizationId, mappings);
    const found = new Map(rows.map((row) => [nameOfKey(row), row]));
    return mappings.map((mapping) => found.get(nameOfKey(mapping)) as MappingRow);
  };
  return write(database, writer, work, undefined, { scope: "write:emissions" });
}

/** Reads mappings in the form to store. Throws all of their faults together. */
async function readMappings(
  sql: SqlSession,
  organizationId: string,
  given: readonly MappingInput[],
): Promise<NewMapping[]> {
  const ids = given.map(({ factorId }) => factorId).filter(isUuid);
  const factors = await findFactors(readInTransaction(sql, organizationId), { ids });
  const byId = new Map(factors.map((factor) => [factor.id, factor]));
  const input = readInput();
  const places = new Map<string, string>();
  const mappings = given.map((mapping, index) => {
    const at = (part: keyof MappingInput) => `input[${index}].${part}`;
    const read = readMapping(mapping, byId.get(mapping.factorId.toLowerCase()), at, input);
    if (read === undefined) return undefined;
    const first = places.get(nameOfKey(read));
    places.set(nameOfKey(read), first ?? `input[${index}]`);
    input.read(() => {
      if (first === undefined) return;
      throw new InvalidInput("mapping", at("text"), `must differ from ${first} in its text, unit or region`);
    });
    return read;
  });
  input.finish();
  return mappings.flatMap((mapping) => mapping ?? []);
}

function readMapping(
  {
    text: givenText,
    unit: givenUnit,
    unitAs: givenAs,
    region: givenRegion,
    factorId,
    fixedYear,
  }: MappingInput,
  factor: FactorRow | undefined,
  at: (part: keyof MappingInput) => string,
  input: InputReader,
): NewMapping | undefined {
  const text = input.read(() =>
    readText("mapping", at("text"), givenText.replaceAll(/ +/g, " "), TEXT_LIMITS.name),
  );
  const unit = input.read(() => readUnit(readText("mapping", at("unit"), givenUnit, TEXT_LIMITS.name)));
  const region = input.read(() => (givenRegion == null ? null : readRegion(at("region"), givenRegion)));
  const unitAs = input.read(() =>
    factor && unit ? readUnitAs(unit, givenAs, factor, at) : requireFactor(at("factorId"), factorId, factor),
  );
  if (!factor || !text || !unit || region === undefined || unitAs === undefined) return undefined;
  const key = mappingKeyOf(text, unit, region);
  return input.read(() => {
    if (key.textKey === "" || key.textKey.length > TEXT_LIMITS.name) {
      throw new InvalidInput("mapping", at("text"), "must contain letters, digits or symbols");
    }
    return { ...key, text, unit: unit.name, unitAs, factorId: factor.id, fixedYear: fixedYear ?? false };
  });
}

function requireFactor(path: string, id: string, factor: FactorRow | undefined): null {
  if (factor) return null;
  throw new InvalidInput("mapping", path, `must be the id of an emission factor (got ${id.slice(0, 100)})`);
}

/**
 * Reads the unit that amounts are meant in; null for the unit itself. Throws if no meaning converts to the factor's
 * unit.
 */
function readUnitAs(
  unit: ReturnType<typeof readUnit>,
  given: string | null | undefined,
  { unit: factorUnit }: FactorRow,
  at: (part: keyof MappingInput) => string,
): string | null {
  const wanted = readUnit(factorUnit);
  if (given != null) {
    const as = readUnit(given);
    const fits = listReadings(unit).some((name) => isConvertible(readUnit(name), as));
    if (!fits || !isConvertible(applyReading(unit, as.name), wanted)) {
      const expected = listReadings(unit).join(", ") || "nothing";
      const fault = `must be a meaning of ${unit.name} (${expected}) that converts to ${factorUnit} (got ${given.slice(0, 100)})`;
      throw new InvalidInput("mapping", at("unitAs"), fault);
    }
    return as.name;
  }
  const found = findReading(unit, wanted);
  if (found !== undefined) return found;
  const readings = listReadings(unit).filter((name) => isConvertible(readUnit(name), wanted));
  if (readings.length > 0) {
    throw new InvalidInput(
      "mapping",
      at("unitAs"),
      `must say which ${unit.name} is meant: ${readings.join(", ")}`,
    );
  }
  throw new InvalidInput("mapping", at("unit"), `must convert to ${factorUnit} (got ${unit.name})`);
}
