import { beforeAll, describe, expect, it } from "vitest";
import { loadFactors } from "../../src/actions/factors/load-factors.js";
import { MAX_REFUSED } from "../../src/files/csv/problems.js";
import { REFERENCE_FOLDER } from "../../src/paths.js";
import { requireQuickNeighbour } from "../fuzz/neighbour.js";
import { addFacility } from "../support/fixtures.js";
import { germanFile, WRONG_LINES } from "../support/german-file.js";
import { signUp, type TestPerson } from "../support/people.js";
import { type Envelope, makeKey, makeOrganization } from "../support/server.js";
import { useGateway } from "../support/use.js";
import { draft, prepareVerification, submitTo } from "../support/verification.js";

const gateway = useGateway();
beforeAll(async () => {
  await loadFactors(gateway.database, REFERENCE_FOLDER);
});

async function send(person: Pick<TestPerson, "call">, text: string | Buffer, query = "") {
  const { status, body } = await person.call<Envelope>(`/v1/emissions/import?skip_errors=true${query}`, {
    method: "POST",
    body: text,
    headers: { "Content-Type": "text/csv" },
  });
  // biome-ignore lint/suspicious/noExplicitAny: the report of an import, or its error
  return { status, data: body.data as any, error: body.error as any };
}

const recordsOf = ({ organization: { id: organizationId } }: TestPerson) =>
  gateway.database.prisma.emissionRecord.count({ where: { organizationId, deletedAt: null } });
const facilitiesOf = async ({ organization: { id: organizationId } }: TestPerson) =>
  (await gateway.database.prisma.facility.findMany({ where: { organizationId } })).map(({ code }) => code);

const HEADER = "recorded_on,scope,co2e_tonnes,facility,reference\n";

describe("POST /v1/emissions/import with skip_errors", () => {
  it("imports the valid rows, and lists the others with their problems", async () => {
    const person = await signUp(gateway);
    const text = `${HEADER}2026-03-01,1,1.5,A,a\n2026-03-02,4,none,B,b\n2026-03-03,1,2.5,A,a\n2026-03-04,1,3,A,c\n`;
    const problems = [
      { line: 3, column: "scope", got: '"4"' },
      { line: 3, column: "co2e_tonnes", got: '"none"' },
      { line: 4, column: "reference", expected: "a unique reference", got: '"a", as in line 2' },
    ].map((problem) => expect.objectContaining(problem));
    const refused = { rows: 2, problems };
    const counts = { rows: 4, inserted: 2, facilities_created: 1, co2e_tonnes_exact: { total: "4.5" } };
    const query = "&create_facilities=true&country=IN";
    const checked = await send(person, text, `${query}&dry_run=true`);
    expect([checked.status, checked.data]).toMatchObject([200, { ...counts, id: null, refused }]);
    expect(await recordsOf(person)).toBe(0);
    const done = await send(person, text, query);
    expect([done.status, done.data]).toMatchObject([200, { ...counts, refused }]);
    expect([await recordsOf(person), await facilitiesOf(person)]).toEqual([2, ["A"]]);

    const again = await send(person, text, query);
    expect(again.data).toMatchObject({ inserted: 0, updated: 0, already_present: 2, refused: { rows: 2 } });
    const undone = await person.call<Envelope>(`/v1/emissions/imports/${done.data.id}/undo`, {
      method: "POST",
    });
    expect(undone.body.data).toMatchObject({ removed: 2, facilities_removed: 1 });
    expect(await recordsOf(person)).toBe(0);
  });

  it("skips rows in locked periods, at archived facilities or without a factor", async () => {
    const { ada, vera } = await prepareVerification(gateway);
    const { path } = await draft(ada, vera);
    await submitTo(ada, vera, path);
    const { id } = await addFacility(gateway.database, ada.organization.slug, { code: "OLD" });
    await ada.call(`/v1/facilities/${id}`, { method: "DELETE" });
    await addFacility(gateway.database, ada.organization.slug, { code: "NEW", country: "DE" });
    const text = [
      "recorded_on,amount,unit,activity,facility,scope",
      "2025-06-01,10,kWh,electricity,NEW,",
      "2026-06-01,10,kWh,electricity,OLD,",
      "2026-06-01,10,kWh,something unheard of,NEW,",
      "2026-06-01,1000,kWh,electricity,NEW,",
      "",
    ].join("\n");
    for (const query of ["&dry_run=true", ""]) {
      const { status, data } = await send(ada, text, query);
      expect([status, data]).toMatchObject([
        200,
        {
          inserted: 1,
          co2e_tonnes_exact: { total: "0.34206" },
          refused: {
            rows: 3,
            problems: [
              {
                line: 2,
                column: "recorded_on",
                expected: expect.stringContaining("locked for verification"),
              },
              { line: 3, column: "facility", expected: "a facility that is not archived" },
              {
                line: 4,
                column: "activity",
                expected: "an activity with an emission factor",
                got: '"something unheard of"',
              },
            ],
          },
        },
      ]);
    }
  });

  it("imports a German file with the options of its preview, without its five faulty rows", async () => {
    const person = await signUp(gateway);
    const post = (path: string) =>
      person.call<Envelope>(path, {
        method: "POST",
        body: germanFile(),
        headers: { "Content-Type": "text/csv" },
      });
    const { options } = (await post("/v1/emissions/import/preview")).body.data as {
      options: Record<string, string>;
    };
    const query = `&${new URLSearchParams({ ...options, country: "GB" })}`;
    const { data } = await send(person, germanFile(), query);
    expect(data).toMatchObject({ rows: 300, inserted: 295, facilities_created: 2, refused: { rows: 5 } });
    expect(
      data.refused.problems.map(({ line, column }: { line: number; column: string }) => [line, column]),
    ).toEqual(Object.entries(WRONG_LINES).map(([line, [column]]) => [Number(line), column]));
  });

  it.each([
    ["a header without a date column", "scope,co2e_tonnes\n1,2\n"],
    ["an unclosed quote, which hides the rest", `${HEADER}2026-03-01,1,1.5,,a\n2026-03-02,1,"1.5,,b\n`],
    ["no valid row", `${HEADER}2026-03-01,9,1.5,,a\n`],
    [
      "more faulty rows than it lists",
      `${HEADER}2026-03-01,1,1.5,,a\n${"x,1,1,,\n".repeat(MAX_REFUSED + 1)}`,
    ],
  ])("imports nothing of a file with %s", async (_name, text) => {
    const person = await signUp(gateway);
    const { status, error } = await send(person, text);
    expect([status, error.code]).toEqual([422, "VALIDATION_FAILED"]);
    expect(error.details.length).toBeLessThanOrEqual(100);
    expect(await recordsOf(person)).toBe(0);
  });

  it("does not block other organizations while it lists 10,000 faulty rows", async () => {
    const person = await signUp(gateway);
    const other = await makeOrganization(gateway.database);
    const { key } = await makeKey(gateway.database, other, { tier: "enterprise" });
    const text = `${HEADER}2026-03-01,1,1.5,,a\n${"x,1,1,,\n".repeat(MAX_REFUSED)}`;
    const { status, data } = await requireQuickNeighbour(
      () => send(person, text, "&dry_run=true"),
      () => gateway.rest("/emissions", key),
    );
    expect([status, data.inserted, data.refused.rows]).toEqual([200, 1, MAX_REFUSED]);
    expect(data.refused.problems).toHaveLength(MAX_REFUSED);
  });
});
