import { beforeAll, describe, expect, inject, it } from "vitest";
import { loadFactors } from "../../src/actions/factors/load-factors.js";
import { REFERENCE_FOLDER } from "../../src/paths.js";
import { requireQuickNeighbour } from "../fuzz/neighbour.js";
import { addFacility } from "../support/fixtures.js";
import { signUp, type TestPerson } from "../support/people.js";
import { type Envelope, makeKey, makeOrganization } from "../support/server.js";
import { addServiceAccount } from "../support/service-accounts.js";
import { useGateway } from "../support/use.js";

const isServer = inject("template").kind === "postgres";

const gateway = useGateway();
beforeAll(async () => {
  await loadFactors(gateway.database, REFERENCE_FOLDER);
});

const send = (person: TestPerson, body: string, query = "") =>
  person.call<Envelope>(`/v1/emissions/import${query}`, {
    method: "POST",
    body,
    headers: { "Content-Type": "text/csv" },
  });
const FILE = `recorded_on,amount,unit,activity,facility,reference
2026-01-31,12000,kWh,Strom Werk 2,BERLIN,a
2026-02-28,1000,kWh,Strom Werk 2,BERLIN,b
`;

/** Returns a file whose activities all differ, with no clear match for any. */
const differentRows = (count: number) =>
  `recorded_on,amount,unit,activity,region\n${Array.from(
    { length: count },
    (_, n) => `2026-01-31,1,kWh,heizung motor strom ${n} diesel gas transport,DE\n`,
  ).join("")}`;

describe("POST /v1/emissions/import with activities", () => {
  it("asks about unresolved activities, then imports with the mapping and cites who set it", async () => {
    const ada = await signUp(gateway);
    await addFacility(gateway.database, ada.organization.slug, { code: "BERLIN", country: "DE" });
    const refused = await send(ada, FILE);
    const { activities, ...error } = refused.body.error as unknown as {
      activities: { items: { candidates: { id: string }[] }[] };
    };
    expect([refused.status, error]).toEqual([
      422,
      {
        code: "UNRESOLVED_ACTIVITIES",
        message:
          "1 activity in 2 rows of the file has no definite emission factor. Choose one of the candidates or another factor. Nothing was imported.",
        columns: FILE.split("\n")[0]
          ?.split(",")
          .map((name) => ({ name, read_as: name })),
      },
    ]);
    const item = {
      text: "Strom Werk 2",
      unit: "kWh",
      region: "DE",
      rows: 2,
      first_lines: [2, 3],
      status: "unresolved",
      by: null,
      factors: [],
      candidates: expect.any(Array),
    };
    const report = { distinct: 1, resolved: 0, unresolved: 1, unresolved_rows: 2, items: [item] };
    expect(activities).toEqual(report);
    const dry = await send(ada, FILE, "?dry_run=true");
    expect([dry.status, (dry.body.data as { activities: object }).activities]).toEqual([200, report]);

    const factorId = activities.items[0]?.candidates[0]?.id;
    const given = { text: "Strom Werk 2", unit: "kWh", region: "DE", factor_id: factorId };
    await ada.call("/v1/emissions/activity-mappings", { method: "PUT", json: { mappings: [given] } });
    const done = await send(ada, FILE);
    expect([done.status, done.body.data]).toMatchObject([
      200,
      {
        inserted: 2,
        co2e_tonnes_exact: { total: "4.44678", scope_1: "0", scope_2: "4.44678", scope_3: "0" },
        activities: {
          resolved: 1,
          unresolved: 0,
          items: [
            { status: "resolved", by: "mapping", factors: [{ id: factorId, year: 2025 }], candidates: [] },
          ],
        },
      },
    ]);
    const mappings = await ada.call("/v1/emissions/activity-mappings");
    const [mapping] = (mappings.body.data as { items: { id: string; record_count: number }[] }).items;
    expect(mapping?.record_count).toBe(2);
    const records = await ada.call("/v1/emissions/records?reference=a");
    expect((records.body.data as { items: object[] }).items).toMatchObject([
      {
        co2e_tonnes: 4.10472,
        activity: { amount: "12000", unit: "kWh", factor_id: factorId },
        calculation: {
          formula: "12000 kWh × 0.34206 kg CO2e per kWh = 4104.72 kg CO2e",
          reason: `mapping "Strom Werk 2" (kWh, DE), set by ${ada.user.email} on 2026-11-20`,
          mapping_id: mapping?.id,
        },
      },
    ]);

    const account = await addServiceAccount(gateway, ada, { name: "ERP" });
    await account.call("/v1/emissions/activity-mappings", {
      method: "PUT",
      json: { mappings: [{ ...given, fixed_year: true }] },
    });
    await send(ada, FILE.replace("b\n", "c\n"));
    const later = await ada.call("/v1/emissions/records?reference=c");
    expect((later.body.data as { items: object[] }).items).toMatchObject([
      { calculation: { reason: 'mapping "Strom Werk 2" (kWh, DE), set by ERP on 2026-11-20' } },
    ]);
  });

  it("uses no mapping or factor of another organization", async () => {
    const [ada, ben] = await Promise.all([signUp(gateway), signUp(gateway)]);
    const own = await ada.call("/v1/emission-factors", {
      json: {
        activity: "Zauberstrom",
        region: "DE",
        scope: "scope_2",
        factor: "0.1",
        unit: "kWh",
        source: "Supplier",
        source_url: "https://example.org",
        source_year: 2025,
      },
    });
    const { id } = own.body.data as { id: string };
    const file = (text: string, column = "activity") =>
      `recorded_on,amount,unit,${column},region\n2026-01-31,1000,kWh,${text},DE\n`;
    await ada.call("/v1/emissions/activity-mappings", {
      method: "PUT",
      json: { mappings: [{ text: "Mein Strom", unit: "kWh", factor_id: id }] },
    });
    for (const [text, column] of [["Zauberstrom"], ["Mein Strom"], [id, "factor_id"]] as const) {
      expect((await send(ada, file(text, column), "?dry_run=true")).body.data).toMatchObject({
        activities: { unresolved: 0 },
      });
      const other = await send(ben, file(text, column), "?dry_run=true");
      expect(other.body.data).toMatchObject({ activities: { unresolved: 1 } });
      expect(JSON.stringify(other.body)).not.toContain("Supplier");
    }
  });

  it("refuses more than 2,000 different activities", async () => {
    const ada = await signUp(gateway);
    const refused = await send(ada, differentRows(2_001));
    expect(refused.body.error).toMatchObject({
      code: "VALIDATION_FAILED",
      details: [
        {
          path: "line 2002, column activity",
          message: "expected at most 2000 different activities in a file, got one more",
        },
      ],
    });
  });

  // An embedded database has one connection, so others wait for the transaction of an import.
  it.runIf(isServer)("does not block other requests while it searches for factors", async () => {
    const ada = await signUp(gateway);
    const { key } = await makeKey(gateway.database, await makeOrganization(gateway.database));
    const { body } = await requireQuickNeighbour(
      () => send(ada, differentRows(60), "?dry_run=true"),
      () => gateway.rest("/emissions", key),
    );
    expect(body.data).toMatchObject({ activities: { distinct: 60, unresolved: 60 } });
  });
});
