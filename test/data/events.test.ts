import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { undoImport } from "../../src/actions/imports/undo-import.js";
import { listEvents } from "../../src/data/events/events.js";
import { readAsTenant } from "../../src/data/tenant/reader.js";
import { type EventPosition, parseEventId } from "../../src/domain/events/event-id.js";
import { EVENT_TYPES, findEventTypes } from "../../src/domain/events/event-types.js";
import { limitTime } from "../../src/time-limit.js";
import { openTestDatabase, type TestDatabase } from "../support/database.js";
import { HEADER, importCsv, saveCsv } from "../support/importing.js";
import { temporaryFolder } from "../support/process.js";
import { makeOrganization } from "../support/server.js";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

const NOW = new Date();
const DAY_MS = 86_400_000;

async function makeTrail() {
  const slug = await makeOrganization(database);
  const { id } = await database.prisma.organization.findUniqueOrThrow({ where: { slug } });
  const tenant = readAsTenant(database, id, { now: NOW, inTime: limitTime(10_000) });
  const list = (
    after: string | Date | null,
    options: { types?: string[]; limit?: number; now?: Date } = {},
  ) =>
    listEvents(tenant, {
      after: typeof after === "string" ? (parseEventId(after) as EventPosition) : after,
      types: options.types?.flatMap(findEventTypes) ?? EVENT_TYPES,
      limit: options.limit ?? 1_000,
      now: options.now ?? NOW,
      url: "https://carbon.example.com",
    });
  const run = (sql: string) => database.transaction(({ script }) => script(sql));
  return { slug, id, list, run };
}

describe("events of an organization", () => {
  it("report an import after its rows, and name the import in events about many rows", async () => {
    const { slug, id, list } = await makeTrail();
    const rows = Array.from(
      { length: 150 },
      (_, index) => `2026-01-15,scope_1,${index + 1},PLANT,Fuel,Meter,R-${index}`,
    );
    const file = await saveCsv(await temporaryFolder(), [HEADER, ...rows].join("\n"));
    const { id: importId } = await importCsv(database, file, slug, ["--create-facilities"]);
    await undoImport(database, importId ?? "", NOW);
    const { events } = await list(null);
    const import_ = { id: importId, added: 150, updated: 0, unchanged: 0, facilities_created: 1 };
    expect(
      events.map(({ type, data: { id, rows, operation, import_id, added } }) => ({
        type,
        id,
        rows,
        operation,
        import_id,
        added,
      })),
    ).toMatchObject([
      { type: "facility.created" },
      { type: "emission_records.changed", operation: "created", rows: 150, import_id: importId },
      { type: "import.completed", id: importId, added: 150 },
      { type: "emission_records.changed", operation: "deleted", rows: 150, import_id: importId },
      { type: "facility.deleted" },
      { type: "import.undone", id: importId, added: 150 },
    ]);
    expect(events[2]).toEqual({
      specversion: "1.0",
      id: expect.stringMatching(/^\d+-[0-9a-f]{16}$/),
      type: "import.completed",
      source: `https://carbon.example.com/organizations/${id}`,
      subject: `import/${importId}`,
      time: events[2]?.timestamp,
      timestamp: expect.any(String),
      datacontenttype: "application/json",
      data: {
        organization_id: id,
        seq: expect.any(Number),
        ...import_,
        href: "/v1/emissions/imports",
        actor: { type: "command", id: "import" },
        request_id: null,
      },
    });
  });

  it("continue after an id, a filter and a page, up to the head of the trail", async () => {
    const { id, list, run } = await makeTrail();
    for (const code of ["A", "B", "C"])
      await run(
        `INSERT INTO facilities (organization_id, code, name) VALUES ('${id}', '${code}', 'Plant ${code}')`,
      );
    await run(
      `UPDATE facilities SET name = 'Works', country = 'DE' WHERE organization_id = '${id}' AND code = 'B'`,
    );
    const all = await list(null);
    expect(all.hasMore).toBe(false);
    expect(all.next).toBe(all.head);
    expect(all.events.map(({ type, data }) => [type, data["changed"]])).toEqual([
      ["facility.created", []],
      ["facility.created", []],
      ["facility.created", []],
      ["facility.updated", ["country", "name"]],
    ]);
    const paged = [];
    let page = await list(null, { limit: 1 });
    for (; page.hasMore; page = await list(page.next, { limit: 1 })) paged.push(...page.events);
    expect([...paged, ...page.events]).toEqual(all.events);
    const updates = await list(all.events[0]?.id ?? "", { types: ["facility.updated"] });
    expect(updates.events).toEqual(all.events.slice(3));
    expect(await list(all.head, { types: ["facility.updated"] })).toEqual({ ...all, events: [] });
  });

  it("begin at a given time", async () => {
    const { id, list, run } = await makeTrail();
    await run(`INSERT INTO facilities (organization_id, code, name) VALUES ('${id}', 'A', 'Plant')`);
    const all = await list(null);
    expect(all.events.length).toBeGreaterThan(0);
    const [first] = all.events;
    expect(await list(new Date(first?.time ?? ""))).toEqual(all);
    const none = { events: [], next: all.head, hasMore: false, head: all.head };
    expect(await list(new Date(NOW.getTime() + 31 * DAY_MS))).toEqual(none);
  });

  it("begin 30 days ago, and refuse older ids and those of another history", async () => {
    const { id, list, run } = await makeTrail();
    await run(`INSERT INTO facilities (organization_id, code, name) VALUES ('${id}', 'A', 'Plant')`);
    const { events, head } = await list(null);
    const [first] = events;
    const later = new Date(NOW.getTime() + 31 * DAY_MS);
    // No event has followed the last one, so none is missed.
    expect(await list(head, { now: later })).toEqual({ events: [], next: head, hasMore: false, head });
    expect(await list(null, { now: later })).toEqual({ events: [], next: head, hasMore: false, head });
    await run(`DELETE FROM facilities WHERE organization_id = '${id}'`);
    await expect(list(first?.id ?? "", { now: later })).rejects.toMatchObject({ code: "CURSOR_EXPIRED" });
    await expect(list(NOW, { now: later })).rejects.toThrow(
      `Events after ${NOW.toISOString().slice(0, 10)} are older than 30 days`,
    );
    const [seq] = head.split("-");
    for (const foreign of [
      `${seq}-0123456789abcdef`,
      `${Number(seq) + 100}-0123456789abcdef`,
      "0-0123456789abcdef",
    ])
      await expect(list(foreign)).rejects.toMatchObject({ code: "CURSOR_EXPIRED" });
  });
});
