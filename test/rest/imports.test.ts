import { describe, expect, it } from "vitest";
import { HEADER } from "../support/importing.js";
import { signUp, type TestPerson } from "../support/people.js";
import { type Envelope, makeKey } from "../support/server.js";
import { useGateway } from "../support/use.js";

const gateway = useGateway();

interface Report {
  readonly id: string;
}
async function importRows(person: TestPerson, file: string, ...rows: string[]): Promise<string> {
  const { body } = await person.call<Envelope>(`/v1/emissions/import?create_facilities=true&file=${file}`, {
    method: "POST",
    body: [HEADER, ...rows].join("\n"),
    headers: { "Content-Type": "text/csv" },
  });
  return (body.data as Report).id;
}
const list = async (person: TestPerson, query = "") =>
  (await person.call<Envelope>(`/v1/emissions/imports${query}`)).body.data as {
    items: { file: string; undone_at: string | null }[];
    next_cursor: string | null;
  };
const undo = (person: TestPerson, id: string) =>
  person.call<Envelope>(`/v1/emissions/imports/${id}/undo`, { method: "POST" });

describe("GET /v1/emissions/imports", () => {
  it("pages through the organization's imports, latest first, also for keys", async () => {
    const person = await signUp(gateway);
    for (const [index, file] of ["one.csv", "two.csv", "three.csv"].entries()) {
      gateway.setNow(new Date(Date.UTC(2026, 10, 20, 10, 0, index)));
      await importRows(person, file, `2026-03-01,scope_1,${index},A,,,a`);
    }
    expect(await list(person)).toEqual({
      items: [
        {
          id: expect.any(String),
          file: "three.csv",
          imported_at: "2026-11-20T10:00:02.000Z",
          inserted: 0,
          updated: 1,
          already_present: 0,
          facilities_created: 0,
          undone_at: null,
          accepted: [],
          sample: false,
        },
        expect.objectContaining({ file: "two.csv" }),
        expect.objectContaining({ file: "one.csv", inserted: 1, facilities_created: 1 }),
      ],
      next_cursor: null,
    });
    const first = await list(person, "?limit=2");
    expect(first.items.map(({ file }) => file)).toEqual(["three.csv", "two.csv"]);
    const rest = await list(person, `?limit=2&cursor=${first.next_cursor}`);
    expect([rest.items.map(({ file }) => file), rest.next_cursor]).toEqual([["one.csv"], null]);
    const { key } = await makeKey(gateway.database, person.organization.slug);
    const { body } = await gateway.graphql("{ imports { totalCount nodes { file added } } }", key);
    expect(body.data.imports).toMatchObject({ totalCount: 3, nodes: { 2: { file: "one.csv", added: 1 } } });
  });
});

describe("POST /v1/emissions/imports/{id}/undo", () => {
  it("undoes an import once, which changes totals immediately", async () => {
    const person = await signUp(gateway);
    await importRows(person, "one.csv", "2026-03-01,scope_1,1,,,,a");
    const id = await importRows(person, "two.csv", "2026-03-01,scope_1,2,,,,a", "2026-03-01,scope_2,7,B,,,b");
    const total = async () => (await person.graphql("{ emissions { totalCo2eTonnes } }")).body.data;
    expect(await total()).toEqual({ emissions: { totalCo2eTonnes: 9 } });
    const { status, body } = await undo(person, id);
    const undone = { id, file: "two.csv", undone_at: expect.any(String) };
    expect([status, body.data]).toEqual([
      200,
      {
        import: expect.objectContaining(undone),
        removed: 1,
        restored: 1,
        kept: 0,
        facilities_removed: 1,
        already_undone: false,
      },
    ]);
    expect(await total()).toEqual({ emissions: { totalCo2eTonnes: 1 } });
    expect((await list(person)).items).toEqual(expect.arrayContaining([expect.objectContaining(undone)]));
    expect((await undo(person, id)).body.data).toMatchObject({
      removed: 0,
      restored: 0,
      already_undone: true,
    });
  });

  it.each(["an import", "a call"])(
    "leaves versions that %s of the same record continues, so that former ETags match no more",
    async (way) => {
      const person = await signUp(gateway);
      const find = async () => {
        const records = await person.call<Envelope>("/v1/emissions/records?reference=a");
        const { id, version } =
          (records.body.data as { items: { id: string; version: number }[] }).items[0] ?? {};
        const { headers } = await person.call(`/v1/emissions/records/${id}`);
        return { id, version, etag: headers.get("etag") ?? "" };
      };
      const importId = await importRows(person, "one.csv", "2026-03-01,scope_1,1,A,,,a");
      const before = await find();
      await undo(person, importId);
      if (way === "an import") await importRows(person, "two.csv", "2026-03-01,scope_1,5,A,,,a");
      else {
        const json = {
          reference: "a",
          recorded_on: "2026-03-01",
          scope: "scope_1",
          co2e_tonnes: "5",
          category: "fuel",
        };
        await person.call("/v1/emissions/records", { json });
      }
      expect(await find()).toEqual({ id: before.id, version: 3, etag: expect.stringMatching(/^"3-/) });
      const path = `/v1/emissions/records/${before.id}`;
      for (const known of [before.etag, '"1"']) {
        expect((await person.call(path, { headers: { "If-None-Match": known } })).status).toBe(200);
        const change = {
          method: "PATCH",
          json: { co2e_tonnes: "2", note: "?" },
          headers: { "If-Match": known },
        };
        expect((await person.call(path, change)).status).toBe(409);
      }
    },
  );
});
