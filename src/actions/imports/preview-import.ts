import { type Context, requireAccess } from "../../access/context.js";
import { type FacilityRow, findFacilitiesByCode, findOnlyCountry } from "../../data/facilities/facilities.js";
import type { NewFacility } from "../../domain/emissions/records.js";
import { isoDate } from "../../domain/window.js";
import { completeOptions, type GivenOptions } from "../../files/csv/given-options.js";
import { guessFile } from "../../files/csv/guess/guess.js";
import { HEAD_BYTES, wholeLines } from "../../files/csv/guess/head.js";
import type { Preview, PreviewedRecord } from "../../files/csv/guess/preview.js";
import { collectProblems } from "../../files/csv/problems.js";
import { createFileReader } from "../../files/csv/reader.js";
import { textOf } from "./activities/groups.js";

const MAX_ROWS = 10;
const MAX_FACILITIES = 100;

/**
 * Reads the first 64 kB of a file, guesses the options that are not given, and returns its first rows as the import
 * would read them. Changes nothing.
 */
export async function previewFile(
  context: Context,
  chunks: AsyncIterable<Buffer>,
  given: GivenOptions,
): Promise<Preview> {
  const { tenant } = requireAccess(context);
  const today = isoDate(context.request.now);
  const bytes = wholeLines(await readBeginning(chunks));
  const { head, options, questions } = await guessFile(bytes, given, today);
  // Unknown facilities are no problem until the caller has decided whether to create them.
  const { createFacilities = true } = options;
  const named = await readRows(bytes, { ...options, createFacilities: true }, today, []);
  const known = await findFacilitiesByCode(tenant, [...(named.rows?.newFacilities.keys() ?? [])]);
  const isDone = createFacilities && known.length === 0;
  const read = isDone ? named : await readRows(bytes, { ...options, createFacilities }, today, known);
  const { rows, columns, records, problems } = read;
  const created = rows?.newFacilities ?? new Map<string, NewFacility>();
  const needsCountry = (rows?.activities ?? []).some(
    ({ region, facility }) => region === null && !(facility !== null && created.get(facility)?.country),
  );
  const isNew = created.size > 0;
  const country = isNew && needsCountry ? await findOnlyCountry(tenant) : null;
  return {
    options: { ...options, ...(isNew && { createFacilities: true }), ...(country !== null && { country }) },
    questions,
    columns: columns?.named ?? [],
    rows: head.rows.slice(0, MAX_ROWS).map((row) => ({ ...row, records: records.get(row.line) ?? [] })),
    problems: problems.first,
    newFacilities: [...created.keys()].slice(0, MAX_FACILITIES),
    needsCountry,
  };
}

/** Reads the records of a file's beginning, by line. */
async function readRows(bytes: Buffer, given: GivenOptions, today: string, known: readonly FacilityRow[]) {
  const options = completeOptions(given, today);
  if ("message" in options) throw new Error(`the guessed options contradict each other: ${options.message}`);
  const problems = collectProblems();
  const records = new Map<number, PreviewedRecord[]>();
  const add = (line: number, record: PreviewedRecord) =>
    records.set(line, [...(records.get(line) ?? []), record]);
  const reader = createFileReader({
    options,
    facilities: new Map(known.map((facility) => [facility.code, facility])),
    problems,
    onRecord: (line, { recorded_on, facility = null, scope, co2e_tonnes }) =>
      add(line, { ...NOTHING, recordedOn: recorded_on, facility, scope, co2eTonnes: co2e_tonnes }),
    onActivity: (line, { recorded_on, facility = null, scope = null, amount, index }) => {
      const { naming, unit = null } = reader.rows?.activities[index] ?? {};
      const activity = naming ? textOf({ naming }) : null;
      add(line, { ...NOTHING, recordedOn: recorded_on, facility, scope, amount, unit, activity });
    },
  });
  async function* chunks() {
    yield bytes;
  }
  for await (const _ of reader.read(chunks()));
  return { rows: reader.rows, columns: reader.columns, records, problems };
}

const NOTHING = { scope: null, co2eTonnes: null, amount: null, unit: null, activity: null };

/** Reads the first 64 kB. */
async function readBeginning(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts).subarray(0, HEAD_BYTES);
}
