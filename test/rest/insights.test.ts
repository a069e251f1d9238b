import { beforeAll, describe, expect, it } from "vitest";
import {
  addBatch,
  addBenchmark,
  addCctsPeriod,
  addDeadline,
  addFacility,
  addFramework,
  addMetric,
  addPrice,
  addRecord,
} from "../support/fixtures.js";
import { signUp } from "../support/people.js";
import { type Envelope, makeKey, makeOrganization } from "../support/server.js";
import { useGateway } from "../support/use.js";

interface Insight {
  readonly id: string;
  readonly kind: string;
  readonly title: string;
  readonly body: string;
  readonly figures: readonly { readonly name: string; readonly value: number; readonly unit: string }[];
  readonly query: { readonly name: string; readonly document: string; readonly variables: object };
}

/** An organization whose emissions fell by 111.6 t, 60 t of it in scope 2. */
let falling: { slug: string; key: string };
/** An organization about which every rule finds something. */
let all: { slug: string; key: string };
const gateway = useGateway();
beforeAll(async () => {
  falling = await addOrganization();
  for (const [scope, before, now] of [
    ["scope_1", 100, 68.4],
    ["scope_2", 300, 240],
    ["scope_3", 50, 30],
  ] as const) {
    await addRecord(gateway.database, falling.slug, { recordedOn: "2025-06-30", scope, co2eTonnes: before });
    await addRecord(gateway.database, falling.slug, { recordedOn: "2026-06-30", scope, co2eTonnes: now });
  }
  all = await addOrganization();
  await fill(all.slug);
});

async function addOrganization() {
  const slug = await makeOrganization(gateway.database);
  return { slug, key: (await makeKey(gateway.database, slug)).key };
}

/** The 15th of the month that is `index` months after November 2024. */
const monthly = (index: number) => new Date(Date.UTC(2024, 10 + index, 15)).toISOString().slice(0, 10);

async function fill(slug: string): Promise<void> {
  const { database } = gateway;
  const mill = await addFacility(database, slug, { code: "PUNE", name: "Pune mill" });
  const kiln = await addFacility(database, slug, { code: "KILN", name: "Kiln: a=b" });
  const store = await addFacility(database, slug, { code: "STORE", name: "Store" });
  for (let index = 0; index < 24; index++) {
    await addRecord(database, slug, {
      facility: mill,
      recordedOn: monthly(index),
      scope: "scope_2",
      co2eTonnes: index === 20 ? 400 : 100 + 3 * index + (index % 3),
    });
    if (index < 16)
      await addRecord(database, slug, { facility: kiln, recordedOn: monthly(index), co2eTonnes: 7 });
    await addRecord(database, slug, {
      facility: store,
      recordedOn: monthly(index),
      co2eTonnes: index < 12 ? 5 : 4,
    });
  }
  await addMetric(
    database,
    slug,
    Array.from({ length: 12 }, (_, index) => monthly(12 + index).slice(0, 7)),
    { name: "Insight steel", unit: "t", value: "50" },
  );
  await addBenchmark(database, { sector: "Insight steel (world)", unit: "tCO2e/t steel", sourceYear: 2025 });
  await addFramework(database, slug, { framework: "CCTS", status: "action_required" });
  await addDeadline(database, slug, { dueDate: "2026-12-01", sourceUrl: "https://example.org/rules" });
  await addDeadline(database, slug, { title: "Too far", dueDate: "2027-02-01" });
  await addDeadline(database, slug, { title: "Other", framework: "CDP", dueDate: "2026-12-01" });
  await addCctsPeriod(database, slug, { entity: "Pune works" });
  await addBatch(database, slug, { creditType: "VCS", quantity: 900 });
  await addBatch(database, slug, { creditType: "GS", quantity: 100 });
  await addPrice(database, slug, { ...INSTRUMENT, price: 75, asOf: "2026-10-20" });
  await addPrice(database, slug, { ...INSTRUMENT, price: 84, asOf: "2026-11-19" });
}
const INSTRUMENT = { creditType: "Insight", exchange: "EEX" };

const MODULES = ["emissions", "compliance", "credits", "market"] as const;

async function ask(module: string, json: object = {}, key = all.key): Promise<Insight[]> {
  const path = `/v1/${module}/insights`;
  const { status, body } = await gateway.call<Envelope>(path, {
    headers: { "X-API-Key": key, "Content-Type": "application/json" },
    method: "POST",
    body: JSON.stringify(json),
  });
  if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body.error)}`);
  return (body.data as { items: Insight[] }).items;
}

/** Every number in a JSON value. */
const numbersIn = (value: unknown): number[] =>
  typeof value === "number"
    ? [value]
    : typeof value === "object" && value !== null
      ? Object.values(value).flatMap(numbersIn)
      : [];

/** Numbers in a text as written, except in dates, months and names. */
const numbersOf = (text: string): string[] =>
  text
    .replace(/(?<=\d),(?=\d{3})/g, "")
    .replace(/\d{4}-\d{2}(-\d{2})?|(\d{1,2} )?[A-Z][a-z]+ \d{4}|p < 0\.0001|"[^"]*"|[Ss]cope \d/g, "")
    .match(/\d+(\.\d+)?(e-?\d+)?/g) ?? [];

describe("POST /v1/emissions/insights", () => {
  it("names the scope with the largest share of a reduction", async () => {
    const items = await ask("emissions", { limit: 20 }, falling.key);
    const change = items.find(({ kind }) => kind === "largest_change");
    expect(change).toEqual({
      id: "largest_change:scope_2",
      kind: "largest_change",
      severity: "low",
      title: "54 % of the reduction comes from scope 2",
      body: "It fell by 60 t from the period before: from 300 t to 240 t.",
      figures: [
        { name: "change", value: -60, unit: "tCO2e" },
        { name: "share_percent", value: 53.76, unit: "%" },
        { name: "previous", value: 300, unit: "tCO2e" },
        { name: "current", value: 240, unit: "tCO2e" },
      ],
      query: {
        name: "InsightLargestChange",
        document: expect.stringContaining("query InsightLargestChange"),
        variables: { range: { from: "2025-11-01", to: "2026-10-31" }, by: "SCOPE" },
      },
    });
  });

  it("covers the requested days", async () => {
    const items = await ask("emissions", { from: "2026-01-01", to: "2026-03-31" }, falling.key);
    expect(items.map(({ id }) => id)).toEqual(["coverage"]);
  });

  describe("comparing complete months", () => {
    type Add = (day: string, co2eTonnes: number, rest?: object) => Promise<unknown>;
    const months = Array.from({ length: 24 }, (_, index) => monthly(index));
    const changesOf = async (record: (add: Add) => Promise<void>) => {
      const { slug, key } = await addOrganization();
      await record((recordedOn, co2eTonnes, rest = {}) =>
        addRecord(gateway.database, slug, { recordedOn, co2eTonnes, ...rest }),
      );
      const found = await ask("emissions", { limit: 20 }, key);
      return found.filter(({ kind }) => kind === "largest_change" || kind === "trend");
    };

    it.each<[string, (add: Add) => Promise<void>]>([
      [
        "a month whose only record is missing",
        async (add) => {
          for (const day of months) await add(day, 100);
        },
      ],
      [
        "a month that lacks one of two records",
        async (add) => {
          for (const day of [...months, "2026-11-15"]) {
            await add(`${day.slice(0, 8)}01`, 100);
            if (day < "2026-11") await add(day, 100);
          }
        },
      ],
      [
        "one late meter of two",
        async (add) => {
          for (const day of months) {
            await add(day, 60);
            if (day < "2026-10") await add(day, 40);
          }
        },
      ],
      [
        "a late scope",
        async (add) => {
          for (const day of months) {
            await add(day, 60);
            if (day < "2026-10") await add(day, 40, { scope: "scope_2" });
          }
        },
      ],
      [
        "a first year of records",
        async (add) => {
          for (const day of months) await add(day, 60);
          for (const day of months.slice(12)) await add(day, 40, { scope: "scope_2" });
        },
      ],
      [
        "an incomplete period before",
        async (add) => {
          for (const day of months.slice(8)) await add(day, 60);
        },
      ],
    ])("reports no change for %s", async (_what, record) => expect(await changesOf(record)).toEqual([]));

    it("reports each series on its own, so that a late one hides no other", async () => {
      const found = await changesOf(async (add) => {
        for (const [index, day] of months.entries()) {
          await add(day, index < 12 ? 60 : 50);
          if (day < "2026-10") await add(day, 400, { scope: "scope_2" });
        }
      });
      expect(found.filter(({ kind }) => kind === "largest_change")).toMatchObject([
        {
          title: "100 % of the reduction comes from scope 1",
          body: "It fell by 120 t from the period before: from 720 t to 600 t.",
        },
      ]);
    });
  });

  it("quotes the most severe anomaly as GET /v1/anomalies lists it", async () => {
    const { slug, key } = await addOrganization();
    for (const [code, scope, unusual, tonnes] of [
      ["PUNE", "scope_2", 3, 95],
      ["KILN", "scope_1", 21, 47],
    ] as const) {
      const facility = await addFacility(gateway.database, slug, { code, name: `${code} works` });
      for (let index = 0; index < 24; index++) {
        const co2eTonnes = index === unusual ? tonnes : 40 + (index % 3);
        await addRecord(gateway.database, slug, { facility, scope, recordedOn: monthly(index), co2eTonnes });
      }
    }
    const items = await ask("emissions", { limit: 20 }, key);
    const found = items.find(({ kind }) => kind === "new_anomalies");
    expect(found).toMatchObject({
      id: "new_anomalies",
      severity: "high",
      title: "3 unusual months to review",
      body: "Most severe: February 2025, PUNE works, scope 2: more than twice the usual month (95 t, usually about 41 t).",
    });
    const list = await gateway.call<Envelope>("/v1/anomalies?limit=100", { headers: { "X-API-Key": key } });
    const { items: anomalies } = list.body.data as { items: Record<string, unknown>[] };
    const figure = (name: string) => found?.figures.find((one) => one.name === name)?.value;
    expect(figure("findings")).toBe(anomalies.length);
    expect(anomalies).toContainEqual(
      expect.objectContaining({
        month: "2025-02",
        severity: "high",
        value: figure("value"),
        series: expect.objectContaining({ facility: "PUNE", scope: "scope_2" }),
      }),
    );
  });

  it("leaves out benchmarks without read:benchmarks", async () => {
    const { key } = await makeKey(gateway.database, all.slug, { scopes: ["read:emissions"] });
    const kinds = async (of: string) =>
      (await ask("emissions", { limit: 20 }, of)).map(({ kind }) => kind).sort();
    const others = (await kinds(all.key)).filter((kind) => kind !== "benchmark");
    expect(await kinds(key)).toEqual(others);
  });

  it("leaves out acknowledged anomalies", async () => {
    const ada = await signUp(gateway);
    const { slug } = ada.organization;
    for (let index = 12; index < 24; index++) {
      await addRecord(gateway.database, slug, {
        recordedOn: monthly(index),
        co2eTonnes: index === 20 ? 95 : 40 + (index % 3),
      });
    }
    const found = async () => {
      const { body } = await ada.call("/v1/emissions/insights", { method: "POST", json: { limit: 20 } });
      return (body.data as { items: Insight[] }).items.filter(({ kind }) => kind === "new_anomalies");
    };
    expect(await found()).toMatchObject([
      {
        id: "new_anomalies",
        title: "1 unusual month to review",
        body: "July 2026, records without a facility, scope 1: more than twice the usual month (95 t, usually about 41 t).",
        record_ids: [expect.any(String)],
      },
    ]);
    await ada.call("/v1/anomalies/acknowledgements", { json: { id: "z_score:facility=:scope_1:2026-07" } });
    expect(await found()).toEqual([]);
  });
});

describe("POST /v1/{module}/insights", () => {
  it("finds an insight with every rule", async () => {
    const kinds = await Promise.all(
      MODULES.map(async (module) => (await ask(module, { limit: 20 })).map(({ kind }) => kind).sort()),
    );
    expect(kinds).toEqual([
      [
        "benchmark",
        "coverage",
        "largest_change",
        "largest_change",
        "new_anomalies",
        "top_contributor",
        "trend",
      ],
      ["deadline", "intensity_target"],
      ["concentration"],
      ["price_move"],
    ]);
  });

  it("finds an open deadline behind a hundred that require no action", async () => {
    const ada = await signUp(gateway);
    const { slug } = ada.organization;
    await addFramework(gateway.database, slug, { framework: "CCTS", status: "action_required" });
    const dueDate = "2026-12-01";
    for (let index = 0; index < 50; index++) {
      await addDeadline(gateway.database, slug, {
        title: `Done ${index}`,
        dueDate,
        completedOn: "2026-11-01",
      });
      await addDeadline(gateway.database, slug, { title: `Other ${index}`, framework: "CDP", dueDate });
    }
    await addDeadline(gateway.database, slug, { title: "Report", dueDate: "2026-12-02" });
    await addDeadline(gateway.database, slug, {
      title: "Answer",
      framework: "CDP",
      status: "Action_Required",
      dueDate: "2026-12-03",
    });
    const { body } = await ada.call("/v1/compliance/insights", { json: {} });
    expect((body.data as { items: Insight[] }).items.map(({ title }) => title).sort()).toEqual([
      "Answer is due in 13 days",
      "Report is due in 12 days",
    ]);
  });

  it("reports how far a target of zero was missed", async () => {
    const ada = await signUp(gateway);
    const { slug } = ada.organization;
    await addCctsPeriod(gateway.database, slug, { targetGei: "0", achievedGei: "0.5" });
    const { status, body } = await ada.call("/v1/compliance/insights", { json: {} });
    expect([status, (body.data as { items: Insight[] }).items]).toMatchObject([
      200,
      [{ kind: "intensity_target", title: "Smelter 2025-26: 0.5 t per unit above the target" }],
    ]);
  });

  it.each(MODULES)("backs every number for %s with the figures of its query", async (module) => {
    for (const { title, body, figures, query } of await ask(module, { limit: 20 })) {
      const { document, variables } = query;
      const answer = await gateway.graphql(document, all.key, variables);
      expect(answer.body.errors).toBeUndefined();
      const answered = numbersIn(answer.body.data);
      const [part = { value: 0 }, whole = { value: 0 }] = figures;
      // A percentage is either the ratio of the first two figures or the change between them.
      const computed = [100 * (part.value / whole.value), 100 * (part.value / whole.value - 1)];
      for (const { value, unit } of figures) {
        const known = unit === "%" ? [...answered, ...computed] : answered;
        expect(known.some((one) => Math.abs(one - value) < 0.0051)).toBe(true);
      }
      expect(numbersOf(title)).not.toEqual([]);
      for (const sentence of [title, ...body.split(/\. /)]) {
        const numbers = numbersOf(sentence);
        const invented = numbers.filter((number) => {
          const decimals = number.split(".")[1]?.length ?? 0;
          const half = 0.5 * 10 ** -decimals + 1e-9;
          return !figures.some(({ value }) => Math.abs(Math.abs(value) - Number(number)) <= half);
        });
        expect([sentence, invented]).toEqual([sentence, []]);
      }
    }
  });

  it("orders by severity, the same each time", async () => {
    const items = (await ask("emissions", { limit: 20 })) as (Insight & { severity: string })[];
    const ranks = items.map(({ severity }) => ["high", "medium", "low"].indexOf(severity));
    expect(ranks).toEqual([...ranks].sort());
    expect(await ask("emissions", { limit: 20 })).toEqual(items);
    expect(await ask("emissions", { limit: 2 })).toEqual(items.slice(0, 2));
  });

  it("reports nothing of another organization", async () => {
    const other = await addOrganization();
    for (const module of MODULES) expect(await ask(module, {}, other.key)).toEqual([]);
  });

  it("refuses unknown modules, those without figures, a missing scope and invalid input", async () => {
    const call = async (module: string, json: object, key = all.key) => {
      const headers = { "X-API-Key": key, "Content-Type": "application/json" };
      const { status, body } = await gateway.call<Envelope>(`/v1/${module}/insights`, {
        headers,
        method: "POST",
        body: JSON.stringify(json),
      });
      return [status, body.error?.code];
    };
    const { key } = await makeKey(gateway.database, all.slug, { scopes: ["read:credits"] });
    expect(await call("verification", {})).toEqual([422, "NOT_SUPPORTED_FOR_MODULE"]);
    expect(await call("weather", {})).toEqual([404, "NOT_FOUND"]);
    expect((await call("emissions", {}, key))[0]).toBe(401);
    expect(await call("emissions", { limit: 0 })).toEqual([422, "VALIDATION_FAILED"]);
    expect(await call("emissions", { limit: 21 })).toEqual([422, "VALIDATION_FAILED"]);
    expect(await call("emissions", { since: "2026-01-01" })).toEqual([422, "VALIDATION_FAILED"]);
    expect((await call("emissions", { from: "2026-02-30" }))[0]).toBe(422);
    expect((await call("market", { from: "2026-12-01", to: "2026-11-01" }))[0]).toBe(400);
  });
});
