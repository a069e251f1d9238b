import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ImportError } from "../../src/actions/imports/import-error.js";
import { describeProblems } from "../../src/commands/import/describe-problems.js";
import { verifyEmissionDays } from "../../src/data/emissions/verify-days.js";
import { ORGANIZATION, selectColumn } from "../support/graph-fixtures.js";
import { importCsv, saveCsv } from "../support/importing.js";
import { makeOrganization } from "../support/server.js";
import { useDatabase } from "../support/use.js";
import { requireNoLeak } from "./answer.js";
import { mutate, mutations } from "./bytes.js";
import { type CsvRow, excess, fault, HEADER_ROW, rows, style, writeCsv } from "./csv-files.js";
import { fuzz, TIME_LIMIT } from "./fuzz.js";

let folder: string;
const database = useDatabase();
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gateway-fuzz-"));
});
afterAll(() => rm(folder, { recursive: true }));

const asStored = ({ recordedOn, scope, amount, category, source }: CsvRow) =>
  JSON.stringify([recordedOn, scope, String(amount), category, source]);
const storedRows = (organization: string) =>
  selectColumn(
    database,
    `SELECT jsonb_build_array(recorded_on::text, scope::text, trim_scale(co2e_tonnes * 1000000)::text,
       coalesce(category, ''), coalesce(source, ''))::text
     FROM emission_records WHERE organization_id = ${ORGANIZATION}`,
    organization,
  );

/** Returns the command's problems with a file; throws any error that an operator should not see. */
async function refusalOf(bytes: string, options: readonly string[], organization: string) {
  const file = await saveCsv(folder, Buffer.from(bytes, "latin1"));
  try {
    return { summary: await importCsv(database, file, organization, options), lines: [] };
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
    requireNoLeak(describeProblems(error.problems));
    return { summary: undefined, lines: error.problems.first.map(({ line }) => line) };
  } finally {
    await rm(file);
  }
}

const right = fc.record({ kind: fc.constant("right" as const), rows, style });
const faulty = fc.record({
  kind: fc.constant("faulty" as const),
  rows,
  style,
  faults: fc.array(fc.tuple(fc.nat(7), fault), { minLength: 1, maxLength: 3 }),
});
const oversized = fc.record({ kind: fc.constant("oversized" as const), rows, style, at: fc.nat(8), excess });
const changed = fc.record({ kind: fc.constant("changed" as const), rows, style, changes: mutations });

describe("any CSV file", () => {
  it(
    "is imported to the last digit, or refused by line with nothing imported",
    async (context) => {
      const outcomes = await fuzz(
        "csv",
        context,
        fc.oneof(right, faulty, oversized, changed),
        async (input) => {
          const organization = await makeOrganization(database);
          if (input.kind === "changed") {
            const { bytes, options } = writeCsv(input.rows, input.style);
            const { summary } = await refusalOf(mutate(bytes, input.changes), options, organization);
            expect(await storedRows(organization)).toHaveLength(summary?.added ?? 0);
            return [`changed, ${summary ? "imported" : "refused"}`];
          }
          if (input.kind === "faulty") {
            const spoilt = new Map(input.faults.map(([row, what]) => [row % input.rows.length, what]));
            const { bytes, options, lines } = writeCsv(input.rows, input.style, spoilt);
            const refusal = await refusalOf(bytes, options, organization);
            const wanted = [...spoilt.keys()].map((index) => lines[index]);
            expect(refusal.lines).toEqual(expect.arrayContaining(wanted));
            expect([...new Set(refusal.lines)].toSorted()).toEqual(wanted.toSorted());
            expect(await storedRows(organization)).toEqual([]);
            return ["faulty, refused"];
          }
          if (input.kind === "oversized") {
            const row = (input.at % (input.rows.length + 1)) - 1;
            const file = writeCsv(input.rows, input.style, new Map([[row, input.excess]]));
            const refusal = await refusalOf(file.bytes, file.options, organization);
            const header = input.style.linesBefore + 1;
            expect(refusal.lines).toEqual([row === HEADER_ROW ? header : file.lines[row]]);
            expect(await storedRows(organization)).toEqual([]);
            return ["oversized, refused"];
          }
          const { bytes, options } = writeCsv(input.rows, input.style);
          const first = await refusalOf(bytes, options, organization);
          expect(first).toMatchObject({ lines: [], summary: { added: input.rows.length, updated: 0 } });
          const stored = (await storedRows(organization)).map((row) => JSON.stringify(JSON.parse(row)));
          expect(stored.toSorted()).toEqual(input.rows.map(asStored).toSorted());
          const { summary } = await refusalOf(bytes, options, organization);
          expect(summary).toMatchObject({ added: 0, updated: 0, unchanged: input.rows.length });
          return ["right, imported twice"];
        },
      );
      expect(Object.keys(outcomes)).toHaveLength(5);
      expect(await verifyEmissionDays(database)).toEqual([]);
    },
    TIME_LIMIT,
  );
});
