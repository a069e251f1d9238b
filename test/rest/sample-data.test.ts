import { beforeAll, describe, expect, it } from "vitest";
import { loadFactors } from "../../src/actions/factors/load-factors.js";
import { REFERENCE_FOLDER } from "../../src/paths.js";
import { refusalOf } from "../access/visitor.js";
import { addFacility, addRecord } from "../support/fixtures.js";
import { addMember, signUp, type TestPerson } from "../support/people.js";
import type { Envelope } from "../support/server.js";
import { useGateway } from "../support/use.js";

const gateway = useGateway();
beforeAll(async () => {
  await loadFactors(gateway.database, REFERENCE_FOLDER);
});

const load = (person: TestPerson, json: object = {}) =>
  person.call<Envelope>("/v1/emissions/sample", { method: "POST", json });
const idOf = ({ body }: Awaited<ReturnType<typeof load>>) => (body.data as { id: string }).id;
const undo = (person: TestPerson, id: string) =>
  person.call<Envelope>(`/v1/emissions/imports/${id}/undo`, { method: "POST" });

/** Reads the totals, facilities and sample of a person's organization. */
async function look(person: TestPerson) {
  const { body } = await person.graphql(`{
    imports(first: 1, isSample: true) { totalCount nodes { id file isSample added undoneAt } }
    emissions(range: { from: "2000-01-01", to: "2026-12-31" }) { totalCo2eTonnes recordCount }
    facilities(first: 100) { nodes { code } }
  }`);
  const { imports, emissions, facilities } = body.data;
  const sample = imports.nodes.find(({ undoneAt }: { undoneAt: string | null }) => undoneAt === null) ?? null;
  const codes = (facilities.nodes as { code: string }[]).map(({ code }) => code);
  return { sample, ...emissions, codes };
}
const NOTHING = { sample: null, totalCo2eTonnes: 0, recordCount: 0, codes: [] };

describe("POST /v1/emissions/sample", () => {
  it("adds records marked as invented, which undoing the import removes completely", async () => {
    const person = await signUp(gateway);
    const stranger = await signUp(gateway);
    const answer = await load(person);
    const sample = { id: idOf(answer), file: "Sample data" };
    expect([answer.status, answer.body.data]).toEqual([
      200,
      {
        ...sample,
        imported_at: expect.any(String),
        inserted: 584,
        updated: 0,
        already_present: 0,
        facilities_created: 5,
        undone_at: null,
        accepted: [],
        sample: true,
      },
    ]);
    const there = await look(person);
    expect(there).toMatchObject({ sample: { ...sample, isSample: true, added: 584 }, recordCount: 584 });
    expect(there.totalCo2eTonnes).toBeGreaterThan(1000);
    expect(there.codes.every((code: string) => code.startsWith("SAMPLE-"))).toBe(true);
    const { body } = await person.graphql("{ emissionRecords(first: 1) { nodes { note reference } } }");
    expect(body.data.emissionRecords.nodes).toEqual([
      { note: "Sample data: the amount is invented.", reference: expect.stringMatching(/^SAMPLE-/) },
    ]);
    expect(await look(stranger)).toEqual(NOTHING);

    expect((await undo(person, sample.id)).body.data).toMatchObject({ removed: 584, facilities_removed: 5 });
    expect(await look(person)).toEqual(NOTHING);
  });

  it("loads the sample again after it was removed, for fewer months", async () => {
    const person = await signUp(gateway);
    await undo(person, idOf(await load(person, { months: 2 })));
    expect((await load(person, { months: 1 })).status).toBe(200);
    const { recordCount } = await look(person);
    expect(recordCount).toBeGreaterThan(10);
    expect(recordCount).toBeLessThan(30);
  });

  it("keeps what people entered or changed when the sample is removed", async () => {
    const person = await signUp(gateway);
    const { slug } = person.organization;
    await addFacility(gateway.database, slug, { code: "SAMPLE-IN-PUNE", name: "Our own" });
    const id = idOf(await load(person, { months: 1 }));
    await addRecord(gateway.database, slug, { co2eTonnes: 5, reference: "ours" });
    const { body } = await person.graphql(
      `{ emissionRecords(first: 1, search: "SAMPLE-SG") { nodes { id version } } }`,
    );
    const [changed] = body.data.emissionRecords.nodes as { id: string; version: number }[];
    await person.call(`/v1/emissions/records/${changed?.id}`, {
      method: "PATCH",
      json: { note: "Checked." },
    });
    expect((await undo(person, id)).body.data).toMatchObject({ kept: 1, facilities_removed: 3 });
    expect(await look(person)).toMatchObject({
      sample: null,
      recordCount: 2,
      codes: ["SAMPLE-IN-PUNE", "SAMPLE-SG-TUAS"],
    });
  });

  it("audits who loaded and removed the sample", async () => {
    const person = await signUp(gateway);
    await undo(person, idOf(await load(person, { months: 1 })));
    const { body } = await person.graphql(
      "{ auditLog { entries(first: 100) { nodes { action actorId } } } }",
    );
    const entries = body.data.auditLog.entries.nodes as { action: string; actorId: string }[];
    const wanted = ["emission_record.created", "facility.created", "import.created", "import.undone"];
    const found = entries.filter(({ action }) => wanted.includes(action));
    expect([...new Set(found.map(({ action }) => action))].sort()).toEqual(wanted);
    expect(new Set(found.map(({ actorId }) => actorId))).toEqual(new Set([person.user.id]));
  });

  it("refuses an organization with records, or one that has the sample", async () => {
    const person = await signUp(gateway);
    expect((await load(person, { months: 1 })).status).toBe(200);
    const message =
      "The organization already has records. Sample data can be added only to one without records.";
    const refused = [409, "CONFLICT", [{ path: "import", message }]];
    expect(refusalOf(await load(person))).toEqual(refused);
    const owner = await signUp(gateway);
    await addRecord(gateway.database, owner.organization.slug, { co2eTonnes: 1 });
    expect(refusalOf(await load(owner))).toEqual(refused);
    expect((await look(owner)).recordCount).toBe(1);
  });

  it("needs an owner, and 1 to 24 months", async () => {
    const owner = await signUp(gateway);
    const admin = await addMember(gateway, owner.organization.slug, "admin");
    expect(refusalOf(await load(admin))).toEqual([403, "FORBIDDEN"]);
    for (const months of [0, 25])
      expect(refusalOf(await load(owner, { months }))).toEqual([
        422,
        "VALIDATION_FAILED",
        [{ path: "months", message: `months must be from 1 to 24 (got ${months}).` }],
      ]);
    expect(await look(owner)).toEqual(NOTHING);
  });
});
