import { type Context, requireAccess } from "../../access/context.js";
import { type FacilityRow, findFacilitiesByCode, findOnlyCountry } from "../../data/facilities/facilities.js";
import type { NewFacility } from "../../domain/emissions/records.js";
import { isoDate } from "../../domain/window.js";
import type { Columns } from "../../files/csv/fields.js";
import { completeOptions, type GivenOptions } from "../../files/csv/given-options.js";
import type { FormatQuestion } from "../../files/csv/guess/formats.js";
import { guessFile } from "../../files/csv/guess/guess.js";
import { HEAD_BYTES, readHead, wholeLines } from "../../files/csv/guess/head.js";
import { collectProblems, type Problem } from "../../files/csv/problems.js";
import { createFileReader } from "../../files/csv/reader.js";
import { textOf } from "./activities/groups.js";

/** The beginning of a file, with the options that are known. */
export interface PreviewRequest {
  readonly chunks: AsyncIterable<Buffer>;
  readonly given: GivenOptions;
  /** False to read the file with the given options alone. */
  readonly guesses: boolean;
}

/** A record as the import would read it. Its parts are null if the row does not have them. */
export interface PreviewedRecord {
  readonly recordedOn: string;
  readonly facility: string | null;
  readonly scope: string | null;
  readonly co2eTonnes: string | null;
  readonly amount: string | null;
  readonly unit: string | null;
  readonly activity: string | null;
}

/** The first rows of a file as an import would read them. */
export interface Preview {
  readonly options: GivenOptions;
  readonly questions: readonly FormatQuestion[];
  readonly columns: Columns["named"];
  readonly rows: readonly {
    readonly line: number;
    readonly cells: readonly string[];
    readonly records: readonly PreviewedRecord[];
  }[];
  /** Problems of the beginning of the file. */
  readonly problems: readonly Problem[];
  /** Codes of facilities that the organization does not have. */
  readonly newFacilities: readonly string[];
  /** True if the beginning has amounts of activities without a region: neither a column nor a facility's country. */
  readonly needsCountry: boolean;
}

const MOST_ROWS = 10;
const MOST_FACILITIES = 100;

/**
 * Reads the first 64 kB of a file, guesses the options that are not given, and returns its first rows as the import
 * would read them. Changes nothing.
 */
export async function previewFile(context: Context, request: PreviewRequest): Promise<Preview> {
  const { tenant } = requireAccess(context);
  const today = isoDate(context.request.now);
  const { given, guesses } = request;
  const bytes = wholeLines(await readBeginning(request.chunks));
  const { head, options, questions } = guesses
    ? await guessFile(bytes, given, today)
    : { head: await readHead(bytes, asGiven(given)), options: given, questions: [] };
  // Facilities that do not exist are no problem as long as the caller has not decided whether to create them.
  const creates = options.createFacilities ?? guesses;
  const read = (known: readonly FacilityRow[]) =>
    readRows(bytes, { ...options, createFacilities: creates }, today, known);
  const named = await read([]);
  const known = await findFacilitiesByCode(tenant, [...(named.rows?.newFacilities.keys() ?? [])]);
  const { rows, columns, records, problems } = known.length > 0 ? await read(known) : named;
  const created = rows?.newFacilities ?? new Map<string, NewFacility>();
  const needsCountry = (rows?.activities ?? []).some(
    ({ region, facility }) => region === null && !(facility !== null && created.get(facility)?.country),
  );
  const isNew = guesses && created.size > 0;
  const country = isNew && needsCountry ? await findOnlyCountry(tenant) : null;
  return {
    options: { ...options, ...(isNew && { createFacilities: true }), ...(country !== null && { country }) },
    questions,
    columns: columns?.named ?? [],
    rows: head.rows.slice(0, MOST_ROWS).map((row) => ({ ...row, records: records.get(row.line) ?? [] })),
    problems: problems.first,
    newFacilities: [...created.keys()].slice(0, MOST_FACILITIES),
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

/** Fills in the options that readHead would otherwise guess. */
const asGiven = ({ encoding = "utf-8", delimiter = ",", skipLines = 0 }: GivenOptions) => ({
  encoding,
  delimiter,
  skipLines,
});

/** Reads the first 64 kB. */
async function readBeginning(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts).subarray(0, HEAD_BYTES);
}
