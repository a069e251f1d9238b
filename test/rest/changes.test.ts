import { beforeEach, describe, expect, it } from "vitest";
import { prune } from "../../src/data/database/upkeep/prune.js";
import type { Collection } from "../../src/domain/collections.js";
import { addFacility, addRecord, addTenantData } from "../support/fixtures.js";
import { addMember, signUp, type TestPerson } from "../support/people.js";
import { type Answer, type Envelope, makeKey } from "../support/server.js";
import { useGateway } from "../support/use.js";

interface Item {
  readonly op: "upsert" | "delete";
  readonly id: string;
  readonly version: number | null;
  readonly data: Record<string, unknown> | null;
}
interface Page {
  readonly items: readonly Item[];
  readonly next_cursor: string;
  readonly has_more: boolean;
  readonly as_of: { readonly seq: number; readonly at: string };
}

let ada: TestPerson;
const gateway = useGateway();
beforeEach(async () => {
  ada = await signUp(gateway);
});

const ask = (query = "", collection: Collection = "emission-records", person = ada) =>
  person.call<Envelope & { data: Page }>(`/v1/changes/${collection}${query}`);
const read = async (query = "", collection: Collection = "emission-records") => {
  const { status, body } = await ask(query, collection);
  expect([status, body.error]).toEqual([200, null]);
  return body.data;
};
/** Reads all pages from a cursor, and applies them to a copy. */
async function follow(copy: Map<string, Item["data"]>, cursor?: string, limit = 2, collection?: Collection) {
  let page: Page;
  let next = cursor;
  do {
    page = await read(`?limit=${limit}${next ? `&cursor=${next}` : ""}`, collection);
    for (const { op, id, data } of page.items) {
      if (op === "delete") copy.delete(id);
      else copy.set(id, data);
    }
    next = page.next_cursor;
  } while (page.has_more);
  return page;
}

const refusal = ({ status, body }: Answer<Envelope>) => [status, body.error?.code, body.error?.message];
const copyAll = async () => {
  const copy = new Map<string, Item["data"]>();
  const page = await follow(copy);
  return { copy, cursor: page.next_cursor, page };
};
const badCursor = (cursor: string) => {
  const got = `"${cursor}"`.replace(/^(.{60}).+$/, "$1…");
  return `query.cursor: expected next_cursor of this collection, got ${got}, which was altered, or belongs to another collection or organization`;
};

const ITEMS: Readonly<Record<Collection, string>> = {
  "emission-records": "/v1/emissions/records/{id}",
  facilities: "/v1/facilities/{id}",
  "emission-factors": "/v1/emission-factors/{id}",
  "business-metrics": "/v1/emissions/metrics/{id}",
  "credit-batches": "/v1/credits/batches/{id}",
  "credit-sales": "/v1/credits/sales/{id}",
  "credit-retirements": "/v1/credits/retirements/{id}",
  frameworks: "/v1/compliance/frameworks",
  deadlines: "/v1/compliance/deadlines/{id}",
  "ccts-periods": "/v1/compliance/ccts/{id}",
  "cbam-declarations": "/v1/cbam/declarations/{id}",
  "market-prices": "/v1/markets/prices/{id}",
};

const run = (sql: string) => gateway.database.transaction(({ script }) => script(sql));

describe("GET /v1/changes/{collection}", () => {
  it("returns each item as its own GET does, in every collection", async () => {
    await addTenantData(gateway.database, { name: "Synced", digits: 7_100, framework: "CDP" });
    ada = await addMember(gateway, "synced", "owner");
    for (const [collection, path] of Object.entries(ITEMS) as [Collection, string][]) {
      const copy = new Map<string, Item["data"]>();
      await follow(copy, undefined, 1, collection);
      expect(copy.size, collection).toBeGreaterThan(0);
      for (const [id, data] of copy) {
        const { body } = await ada.call<{ data: Item["data"] & { items?: unknown[] } }>(
          path.replace("{id}", id),
        );
        expect(data, collection).toEqual(body.data.items?.[0] ?? body.data);
        if (data && "version" in data) continue;
        expect((await read("", collection)).items[0]?.version, collection).toBeNull();
      }
    }
  });

  it("lists the collection once, then each changed item in its latest state", async () => {
    const { database } = gateway;
    const records = [];
    for (const tonnes of ["1", "2", "3"])
      records.push(await addRecord(database, ada.organization.slug, { co2eTonnes: tonnes }));
    const { copy, cursor, page } = await copyAll();
    expect(new Set(copy.keys())).toEqual(new Set(records.map(({ id }) => id)));
    expect(page.as_of).toEqual({ seq: expect.any(Number), at: expect.any(String) });

    const [first, second, third] = records.map(({ id }) => id) as [string, string, string];
    await run(`UPDATE emission_records SET co2e_tonnes = 20 WHERE id = '${second}'`);
    await run(`UPDATE emission_records SET co2e_tonnes = 10 WHERE id = '${first}'`);
    await run(`UPDATE emission_records SET co2e_tonnes = 21 WHERE id = '${second}'`);
    await run(`DELETE FROM emission_records WHERE id = '${third}'`);
    const changed = await read(`?cursor=${cursor}`);
    expect(
      changed.items.map(({ op, id, version, data }) => [op, id, version, data?.["co2e_tonnes"]]),
    ).toEqual([
      ["upsert", first, 2, 10],
      ["upsert", second, 3, 21],
      ["delete", third, null, undefined],
    ]);
    expect(changed.has_more).toBe(false);
    await follow(copy, cursor, 1);
    expect([...copy.keys()].toSorted()).toEqual([first, second].toSorted());
    const nothing = await read(`?cursor=${changed.next_cursor}`);
    expect(nothing).toEqual({ ...changed, items: [] });
  });

  it("sends rows deleted by request or by SQL as deletes, and a reinserted one as an upsert", async () => {
    const { database } = gateway;
    const { id } = await addRecord(database, ada.organization.slug, { co2eTonnes: "1" });
    const { cursor } = await copyAll();
    const path = `/v1/emissions/records/${id}`;
    expect((await ada.call(path, { method: "DELETE", json: { reason: "Wrong" } })).status).toBe(200);
    const deleted = await read(`?cursor=${cursor}`);
    expect(deleted.items).toEqual([{ op: "delete", id, version: null, data: null }]);
    expect((await read()).items).toEqual([]);

    const row = "id, organization_id, recorded_on, scope, co2e_tonnes";
    await database.transaction(({ script }) =>
      script(`CREATE TEMPORARY TABLE former AS SELECT ${row} FROM emission_records WHERE id = '${id}';
        DELETE FROM emission_records WHERE id = '${id}'`),
    );
    expect((await read(`?cursor=${deleted.next_cursor}`)).items).toEqual(deleted.items);
    await database.transaction(({ script }) =>
      script(`INSERT INTO emission_records (${row}) SELECT ${row} FROM former; DROP TABLE former`),
    );
    const again = await read(`?cursor=${deleted.next_cursor}`);
    expect(again.items.map(({ op, id }) => [op, id])).toEqual([["upsert", id]]);
  });

  it("sends a row that was deleted and reinserted with its old stamp", async () => {
    const { database } = gateway;
    for (const [collection, table, { id }] of [
      ["emission-records", "emission_records", await addRecord(database, ada.organization.slug, {})],
      [
        "facilities",
        "facilities",
        await addFacility(database, ada.organization.slug, { code: "B", name: "B" }),
      ],
    ] as const) {
      await run(`CREATE TEMPORARY TABLE former AS SELECT * FROM ${table} WHERE id = '${id}'`);
      await run(`DELETE FROM ${table} WHERE id = '${id}'`);
      const { next_cursor } = await read("?from=now", collection);
      await run(`INSERT INTO ${table} SELECT * FROM former; DROP TABLE former`);
      const { items } = await read(`?cursor=${next_cursor}`, collection);
      expect(items.map((item) => [item.op, item.id])).toEqual([["upsert", id]]);
    }
  });

  it("sends a row that moves to another organization as a delete and an upsert", async () => {
    const { database } = gateway;
    const { id } = await addRecord(database, ada.organization.slug, { co2eTonnes: "1" });
    const { cursor } = await copyAll();
    const bob = await signUp(gateway);
    const { next_cursor } = (await ask("?from=now", "emission-records", bob)).body.data;
    await database.transaction(({ script }) =>
      script(`UPDATE emission_records SET organization_id = (SELECT id FROM organizations WHERE slug = '${bob.organization.slug}')
        WHERE id = '${id}'`),
    );
    expect((await read(`?cursor=${cursor}`)).items).toEqual([
      { op: "delete", id, version: null, data: null },
    ]);
    const { items } = (await ask(`?cursor=${next_cursor}`, "emission-records", bob)).body.data;
    expect(items.map(({ op, id }) => [op, id])).toEqual([["upsert", id]]);
  });

  it("starts with an empty page for from=now", async () => {
    await addRecord(gateway.database, ada.organization.slug, { co2eTonnes: "1" });
    const { next_cursor, ...page } = await read("?from=now");
    expect(page).toEqual({ items: [], has_more: false, as_of: expect.any(Object) });
    const { id } = await addRecord(gateway.database, ada.organization.slug, { co2eTonnes: "2" });
    expect((await read(`?cursor=${next_cursor}`)).items.map((item) => item.id)).toEqual([id]);
  });

  it("continues from an export of the records", async () => {
    await addRecord(gateway.database, ada.organization.slug, { co2eTonnes: "1" });
    const { headers } = await ada.call("/v1/emissions/records/export");
    const { id } = await addRecord(gateway.database, ada.organization.slug, { co2eTonnes: "2" });
    const { items, has_more } = await read(`?cursor=${headers.get("Sync-Cursor")}`);
    expect([items.map((item) => item.id), has_more]).toEqual([[id], false]);
  });

  it("skips changes in other collections", async () => {
    const { next_cursor } = await read("?from=now");
    await addFacility(gateway.database, ada.organization.slug, { code: "A", name: "A" });
    const page = await read(`?cursor=${next_cursor}`);
    expect([page.items, page.has_more]).toEqual([[], false]);
    expect(page.next_cursor).not.toBe(next_cursor);
  });

  it("refuses invalid input and cursors of another collection or organization", async () => {
    const { next_cursor } = await read("?from=now");
    const bob = await signUp(gateway);
    expect(refusal(await ask(`?cursor=${next_cursor}`, "facilities"))).toEqual([
      400,
      "BAD_REQUEST",
      badCursor(next_cursor),
    ]);
    expect(refusal(await ask(`?cursor=${next_cursor}`, "emission-records", bob))).toEqual([
      400,
      "BAD_REQUEST",
      badCursor(next_cursor),
    ]);
    expect(refusal(await ask("?cursor=WyJ4Il0"))).toEqual([400, "BAD_REQUEST", badCursor("WyJ4Il0")]);
    expect(refusal(await ask(`?from=now&cursor=${next_cursor}`))).toEqual([
      400,
      "BAD_REQUEST",
      "query.from: expected either cursor or from, got both",
    ]);
    expect(refusal(await ask("?limit=1001"))[0]).toBe(400);
  });

  it("requires the scope of the collection", async () => {
    const { key } = await makeKey(gateway.database, ada.organization.slug, { scopes: ["read:credits"] });
    const answer = (collection: Collection) =>
      gateway.call<Envelope>(`/v1/changes/${collection}`, { headers: { "X-API-Key": key } });
    expect((await answer("credit-batches")).status).toBe(200);
    for (const collection of ["emission-records", "frameworks", "market-prices"] as const)
      expect((await answer(collection)).status).toBe(401);
  });

  it("keeps changes for 90 days after newer ones follow, then refuses the cursor", async () => {
    const { database } = gateway;
    const { id: organization } = ada.organization;
    const { id } = await addRecord(database, ada.organization.slug, { co2eTonnes: "1" });
    const { cursor } = await copyAll();
    await database.transaction(({ script }) => script(`DELETE FROM emission_records WHERE id = '${id}'`));
    const later = await read(`?cursor=${cursor}`);
    const age = (days: number) =>
      database.transaction(({ script }) =>
        script(`UPDATE change_sets SET committed_at = committed_at - interval '${days} days'
          WHERE organization_id = '${organization}'`),
      );
    const count = async (table: string) =>
      (
        await database.select<{ count: number }>(
          `SELECT count(*) AS count FROM ${table} WHERE organization_id = $1::uuid`,
          [organization],
        )
      )[0]?.count;
    const sets = await count("change_sets");
    await age(89);
    await prune(database);
    expect([await count("change_sets"), await count("removed_rows")]).toEqual([sets, 1]);
    await age(2);
    await addFacility(database, ada.organization.slug, { code: "A", name: "A" });
    const expired = [
      410,
      "CURSOR_EXPIRED",
      "The changes after this cursor are older than 90 days and can no longer be read. Read the collection again, without a cursor.",
    ];
    expect(refusal(await ask(`?cursor=${cursor}`))).toEqual(expired);
    await prune(database);
    expect([await count("change_sets"), await count("removed_rows")]).toEqual([2, 1]);
    expect(refusal(await ask(`?cursor=${cursor}`))).toEqual(expired);
    expect(refusal(await ask(`?cursor=${later.next_cursor}`))[0]).toBe(410);
  });

  it("keeps an old change set while the next has a smaller stamp, but refuses its cursor", async () => {
    const { database } = gateway;
    const { id } = ada.organization;
    const list = () =>
      database.select<{ position: number; stamp: number }>(
        "SELECT position, stamp FROM change_sets WHERE organization_id = $1::uuid ORDER BY position",
        [id],
      );
    const [{ position, stamp } = { position: 0, stamp: 0 }] = (await list()).slice(-1);
    const add = (more: number) => run(`SELECT change_set_add('${id}', ${stamp + more}, '{facilities}')`);
    await add(2_000);
    const { next_cursor } = await read("?from=now");
    await add(1_000);
    await add(3_000);
    await run(
      `UPDATE change_sets SET committed_at = committed_at - interval '91 days' WHERE organization_id = '${id}'`,
    );
    await prune(database);
    expect((await list()).map((set) => set.position)).toEqual([position + 1, position + 3]);
    expect(refusal(await ask(`?cursor=${next_cursor}`))).toEqual([
      410,
      "CURSOR_EXPIRED",
      expect.stringContaining("older than 90 days"),
    ]);
  });
});
