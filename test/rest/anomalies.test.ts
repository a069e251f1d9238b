import { beforeAll, describe, expect, it } from "vitest";
import { answer, refused } from "../support/answers.js";
import { readAuditTrail } from "../support/audit.js";
import { addFacility, addPrice, addRecord } from "../support/fixtures.js";
import { signUp } from "../support/people.js";
import { type Envelope, makeKey, makeOrganization, NOW } from "../support/server.js";
import { useGateway } from "../support/use.js";

const BEFORE = [120, 110, 105, 95, 90, 85, 88, 86, 92, 100, 112, 121];
const AFTER = [114, 104.5, 99.8, 90.3, 85.5, 80.8, 140, 81.7, 87.4, 95, 106.4, 115];

let slug: string;
let key: string;
let marked: string;
const gateway = useGateway();
beforeAll(async () => {
  slug = await makeOrganization(gateway.database);
  ({ key } = await makeKey(gateway.database, slug));
  const facility = await addFacility(gateway.database, slug, { code: "PUNE" });
  for (const [index, co2eTonnes] of [...BEFORE, ...AFTER].entries()) {
    const values = { recordedOn: monthly(index), co2eTonnes, scope: "scope_2" as const, facility };
    const { id } = await addRecord(gateway.database, slug, values);
    if (co2eTonnes === 140) marked = id;
  }
  await addRecord(gateway.database, slug, { recordedOn: "2026-03-31", scope: "scope_3", category: "travel" });
});

/** The 15th of the month that is `index` months after November 2024. */
const monthly = (index: number) => new Date(Date.UTC(2024, 10 + index, 15)).toISOString().slice(0, 10);

async function read<Data = unknown>(path: string, value = key): Promise<Data> {
  const { status, body } = await gateway.call<Envelope>(path, { headers: { "X-API-Key": value } });
  return (status === 200 ? body.data : [status, body.error]) as Data;
}

const NO_SERIES = { facility: null, scope: null, category: null, credit_type: null, exchange: null };
const PUNE = { ...NO_SERIES, name: "facility=PUNE:scope_2", facility: "PUNE", scope: "scope_2" };
const found = (type: string, changed: object) => ({
  type,
  series: PUNE,
  periods: null,
  trailing: null,
  ...changed,
});

describe("GET /v1/anomalies", () => {
  it("finds year-on-year changes by facility and scope, with their records", async () => {
    expect(await read("/v1/anomalies")).toEqual({
      items: [
        found("yoy", {
          id: "yoy:facility=PUNE:scope_2:2026-05",
          severity: "medium",
          month: "2026-05",
          value: 140,
          expected: 88,
          change_pct: 59.09,
          z_score: 2.664,
          robust_z: 2.685,
          explanation: "59 % above May 2025 (140 t instead of 88 t)",
          record_ids: [marked],
          acknowledged: false,
          acknowledgement: null,
        }),
      ],
      next_cursor: null,
      evaluated: { series: 1, months: 24 },
      not_evaluated: [
        {
          series: { ...NO_SERIES, name: "facility=:scope_3", scope: "scope_3" },
          reason: "INSUFFICIENT_DATA",
        },
      ],
    });
  });

  it("rounds amounts and percentages in decimal, half away from zero", async () => {
    const own = await makeOrganization(gateway.database);
    for (const [recordedOn, co2eTonnes] of [
      ["2025-05-15", "100"],
      ["2026-05-15", "74.995"],
      ["2025-06-15", "1.2"],
      ["2026-06-15", "0.9"],
      ["2025-07-15", "1.0005"],
      ["2026-07-15", "3.0025"],
    ] as [string, string][]) {
      await addRecord(gateway.database, own, { recordedOn, co2eTonnes, scope: "scope_2" });
    }
    const { key: ownKey } = await makeKey(gateway.database, own);
    const { items } = await read<{ items: Record<string, unknown>[] }>("/v1/anomalies?types=yoy", ownKey);
    expect(
      items.map(({ value, expected, change_pct, explanation }) => [value, expected, change_pct, explanation]),
    ).toEqual([
      [3.003, 1.001, 200.1, "200 % above July 2025 (3 t instead of 1 t)"],
      [0.9, 1.2, -25, "25 % below June 2025 (0.9 t instead of 1.2 t)"],
      [74.995, 100, -25.01, "25 % below May 2025 (75 t instead of 100 t)"],
    ]);
  });

  it("lists the 20 largest records of a month, whichever way the series is split", async () => {
    const own = await makeOrganization(gateway.database);
    const facility = await addFacility(gateway.database, own, { code: "F" });
    const { id: organizationId } = await gateway.database.prisma.organization.findUniqueOrThrow({
      where: { slug: own },
    });
    const parts = [
      { facilityId: facility.id, category: "travel", scope: "scope_1" as const },
      { facilityId: null, category: null, scope: "scope_3" as const },
    ];
    const months = Array.from({ length: 12 }, (_, month) => monthly(month + 12));
    const data = parts.flatMap((part, place) =>
      months.flatMap((day, month) =>
        Array.from({ length: 12 }, (_, n) => ({
          organizationId,
          ...part,
          recordedOn: new Date(day),
          co2eTonnes: (month === 6 ? 40 : 2 + (month % 3)) + n / 10 + place / 100,
        })),
      ),
    );
    await gateway.database.prisma.emissionRecord.createMany({ data });
    const { key: ownKey } = await makeKey(gateway.database, own);
    const rows = await gateway.database.prisma.emissionRecord.findMany({
      where: { organizationId, recordedOn: new Date(months[6] ?? "") },
      orderBy: { co2eTonnes: "desc" },
    });
    const idsOf = (isOf: (row: (typeof rows)[number]) => boolean) =>
      rows
        .filter(isOf)
        .map(({ id }) => id)
        .slice(0, 20);
    for (const by of ["organization", "facility", "scope", "category", "facility_and_scope"]) {
      const path = `/v1/emissions/anomalies?types=z_score&by=${by}`;
      const { items } = await read<{
        items: { series: Record<string, string | null>; record_ids: string[] }[];
      }>(path, ownKey);
      expect([by, items.length]).toEqual([by, by === "organization" ? 1 : 2]);
      for (const { series, record_ids } of items) {
        const isSecond = series["name"] !== "" && !/=F|scope_1|travel/.test(series["name"] ?? "");
        const wanted =
          by === "organization"
            ? idsOf(() => true)
            : idsOf(({ scope }) => (scope === "scope_3") === isSecond);
        expect([by, series["name"], record_ids]).toEqual([by, series["name"], wanted]);
      }
    }
  });

  it("ignores another organization's facility with the same code", async () => {
    const other = await makeOrganization(gateway.database);
    const facility = await addFacility(gateway.database, other, { code: "PUNE" });
    await addRecord(gateway.database, other, { recordedOn: "2026-05-15", scope: "scope_2", facility });
    const { key: otherKey } = await makeKey(gateway.database, other);
    expect(await read("/v1/anomalies", otherKey)).toMatchObject({ items: [], evaluated: { series: 0 } });
    const both = await read<{ items: { record_ids: string[] }[] }>("/v1/anomalies");
    expect(both.items.map(({ record_ids }) => record_ids)).toEqual([[marked]]);
  });

  it("orders the same anomalies by severity across pages", async () => {
    type Page = { items: { id: string; month: string; severity: string }[]; next_cursor: string | null };
    const path = "/v1/emissions/anomalies?by=scope&types=yoy&yoy_threshold=0.04&limit=5";
    const listed = async (order: string) => {
      const items: Page["items"] = [];
      let cursor: string | null = "";
      while (cursor !== null) {
        const page: Page = await read(`${path}${order}${cursor && `&cursor=${cursor}`}`);
        items.push(...page.items);
        cursor = page.next_cursor;
      }
      return items;
    };
    const [byMonth, bySeverity] = [await listed(""), await listed("&order_by=severity")];
    const rank = ({ severity }: { severity: string }) => ["high", "medium", "low"].indexOf(severity);
    expect(bySeverity.length).toBeGreaterThan(10);
    // The sort is stable, so the latest month comes first within a severity.
    expect(bySeverity).toEqual([...byMonth].sort((one, other) => rank(one) - rank(other)));
    expect(bySeverity.slice(0, 2).map(({ month }) => month)).toEqual(["2026-05", "2026-10"]);
  });

  it("pages through anomalies, latest month first", async () => {
    type Page = { items: { month: string }[]; next_cursor: string };
    const path = "/v1/emissions/anomalies?by=scope&types=yoy&yoy_threshold=0.049&limit=7";
    const first = await read<Page>(path);
    const second = await read<Page>(`${path}&cursor=${first.next_cursor}`);
    const months = [...first.items, ...second.items].map(({ month }) => month);
    expect(months).toEqual([...new Set(months)].sort().reverse());
    expect([first.items.length, second.items.length > 0, second.next_cursor]).toEqual([7, true, null]);
  });

  it.each([
    ["z_threshold=0", "query.z_threshold: expected a number above 0, got 0"],
    ["z_threshold=-1", "query.z_threshold: expected a number above 0, got -1"],
    ["to=2026-11", "query.to: expected at most 2026-10, the last complete month, got 2026-11"],
    ["from=2026-09&to=2026-08", "query.to: expected 2026-09 or later, got 2026-08"],
    ["from=2021-10", "query.from: expected at most 60 months, got 61"],
  ])("refuses %s", async (query, message) => {
    expect(await read(`/v1/anomalies?${query}`)).toEqual([400, { code: "BAD_REQUEST", message }]);
  });

  it("finds nothing if no series reaches the threshold", async () => {
    expect(await read("/v1/anomalies?types=z_score&z_threshold=1e9")).toMatchObject({ items: [] });
  });
});

describe("GET /v1/{module}/anomalies", () => {
  it("finds the gap of a series that stopped, unless its facility is archived", async () => {
    const own = await makeOrganization(gateway.database);
    const { key: ownKey } = await makeKey(gateway.database, own);
    const [open, closed] = await Promise.all(
      ["OPEN", "CLOSED"].map((code) => addFacility(gateway.database, own, { code })),
    );
    for (const facility of [open, closed]) {
      for (const index of [16, 17, 18, 19]) {
        await addRecord(gateway.database, own, { recordedOn: monthly(index), ...(facility && { facility }) });
      }
    }
    await gateway.database.prisma.facility.updateMany({
      where: { code: "CLOSED", organization: { slug: own } },
      data: { archivedAt: new Date("2026-06-30T00:00:00Z") },
    });
    const { items } = await read<{ items: unknown[] }>(
      "/v1/emissions/anomalies?by=facility&types=gap",
      ownKey,
    );
    expect(items).toEqual([
      found("gap", {
        id: "gap:facility=OPEN:2026-07",
        series: { ...NO_SERIES, name: "facility=OPEN", facility: "OPEN" },
        severity: "high",
        month: "2026-07",
        value: null,
        expected: null,
        change_pct: null,
        z_score: null,
        robust_z: null,
        periods: 4,
        trailing: true,
        record_ids: [],
        acknowledged: false,
        acknowledgement: null,
        explanation: "No records since July 2026",
      }),
    ]);
  });

  it("scores the last price of each month, and refuses a module without amounts", async () => {
    const ids: string[] = [];
    for (const [index, price] of [10, 10, 10, 10, 10, 10, 10, 25].entries()) {
      const values = { creditType: "NZU", exchange: "NZX", price, asOf: monthly(index + 16) };
      ids.push((await addPrice(gateway.database, slug, values)).id);
    }
    const path = "/v1/market/anomalies?credit_type=NZU&exchange=NZX&types=z_score";
    const { items } = await read<{ items: object[] }>(path);
    expect(items).toMatchObject([{ month: "2026-10", robust_z: 6.383, record_ids: [ids.at(-1)] }]);
    expect(await read("/v1/credits/anomalies")).toMatchObject({ items: [], evaluated: { series: 0 } });
    expect(await read("/v1/compliance/anomalies")).toMatchObject([422, { code: "NOT_SUPPORTED_FOR_MODULE" }]);
  });
});

describe("POST /v1/anomalies/acknowledgements", () => {
  /** Signs up an owner whose organization has an unusual May 2026. */
  async function signUpWithRecords() {
    const ada = await signUp(gateway);
    for (const [index, co2eTonnes] of [...BEFORE, ...AFTER].entries()) {
      await addRecord(gateway.database, ada.organization.slug, { recordedOn: monthly(index), co2eTonnes });
    }
    return ada;
  }
  type Owner = Awaited<ReturnType<typeof signUp>>;
  const statesOf = async (ada: Owner) => {
    const { body } = await ada.call("/v1/emissions/anomalies?by=organization");
    const { items } = body.data as {
      items: { id: string; acknowledged: boolean; acknowledgement: unknown }[];
    };
    return items.map(({ id, acknowledged, acknowledgement }) => [id, acknowledged, acknowledgement]);
  };
  const id = "yoy:organization:2026-05";
  const json = { id, note: "A boiler was tested." };

  it("acknowledges an anomaly until its amount changes, and audits it", async () => {
    const ada = await signUpWithRecords();
    expect(await statesOf(ada)).toEqual([[id, false, null]]);
    const who = { acknowledged_by: ada.user.id, acknowledged_at: NOW.toISOString() };
    const acknowledged = { ...json, value: 140, ...who };
    await answer(ada.call("/v1/anomalies/acknowledgements", { json }), 200, acknowledged);
    expect(await statesOf(ada)).toEqual([[id, true, acknowledged]]);
    expect((await readAuditTrail(gateway.database, ada.organization.id)).at(-1)).toMatchObject({
      action: "anomaly.created",
      actor: { type: "user", id: ada.user.id },
      changes: { value: 140, note: json.note },
    });
    await addRecord(gateway.database, ada.organization.slug, { recordedOn: "2026-05-20", co2eTonnes: 1 });
    expect(await statesOf(ada)).toEqual([[id, false, null]]);
  });

  it("shows a member's name to people, but never to keys or once the member has left", async () => {
    const ada = await signUpWithRecords();
    await ada.call("/v1/anomalies/acknowledgements", { json });
    const { slug } = ada.organization;
    const viewer = await signUp(gateway, { organization: slug, role: "viewer" });
    const reader = await makeKey(gateway.database, slug, { scopes: ["read:emissions"] });
    const query = `{ emissions { anomalies(by: ORGANIZATION) { items(isAcknowledged: true) { nodes {
      acknowledgement { note acknowledgedByName } } } } } }`;
    const namesIn = ({ body }: { body: { data?: unknown } }) =>
      (body.data as { emissions: { anomalies: { items: { nodes: unknown[] } } } }).emissions.anomalies.items
        .nodes;
    const { name } = await gateway.database.prisma.user.findUniqueOrThrow({ where: { id: ada.user.id } });
    const named = (acknowledgedByName: string | null) => [
      { acknowledgement: { note: json.note, acknowledgedByName } },
    ];
    expect(namesIn(await viewer.graphql(query))).toEqual(named(name));
    expect(namesIn(await gateway.graphql(query, reader.key))).toEqual(named(null));
    await signUp(gateway, { organization: slug, role: "owner" });
    await gateway.database.prisma.membership.deleteMany({ where: { userId: ada.user.id } });
    expect(namesIn(await viewer.graphql(query))).toEqual(named(null));
  });

  it("withdraws an acknowledgement once, in its own organization, and audits it", async () => {
    const ada = await signUpWithRecords();
    await ada.call("/v1/anomalies/acknowledgements", { json });
    const withdraw = async (of: Owner) => {
      const { status, body } = await of.call(`/v1/anomalies/acknowledgements/${encodeURIComponent(id)}`, {
        method: "DELETE",
      });
      return [status, body.data ?? body.error];
    };
    const missing = { code: "NOT_FOUND", message: `There is no anomaly acknowledgement with the id ${id}.` };
    expect(await withdraw(await signUp(gateway))).toEqual([404, missing]);
    expect(await withdraw(ada)).toMatchObject([200, { ...json, value: 140, acknowledged_by: ada.user.id }]);
    expect(await statesOf(ada)).toEqual([[id, false, null]]);
    expect((await readAuditTrail(gateway.database, ada.organization.id)).at(-1)).toMatchObject({
      action: "anomaly.deleted",
      actor: { type: "user", id: ada.user.id },
    });
    expect(await withdraw(ada)).toEqual([404, missing]);
  });

  it.each(["yoy:organization:2026-11", "yoy:organization", "yoy:facility=NONE:2026-05", "%"])(
    "answers 404 for the anomaly %s",
    async (id) => {
      const ada = await signUp(gateway);
      const call = ada.call("/v1/anomalies/acknowledgements", { json: { id } });
      await refused(call, 404, `There is no anomaly with the id ${id}.`);
    },
  );
});
