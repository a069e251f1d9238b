import { hash } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import type { Body } from "../../support/answers.js";
import { INVENTORY, makeInventory, put } from "../../support/inventories.js";
import { signUp } from "../../support/people.js";
import { NOW } from "../../support/server.js";
import { useGateway } from "../../support/use.js";
import { completeStep, DECISION, REQUESTS, step, submitTo, YEAR } from "../../support/verification.js";

const gateway = useGateway();
beforeEach(() => gateway.setNow(NOW));

describe("verification of an issued inventory", () => {
  it("certifies the issue, even if its data change afterwards", async () => {
    const { ada, records } = await makeInventory(gateway, { approach: "equity_share" });
    const vera = await signUp(gateway, { name: "Vera Verifier" });
    const issue = await put(ada, `${INVENTORY}/issues`, { basis: "reported" }, "POST");
    const asked = { level: "limited", materiality_pct: 5, verifier_email: vera.user.email };
    const draft = (json: object) => ada.call<Body>(REQUESTS, { json: { ...asked, ...json } });
    const inventory = { year: 2025, issue: 1 };
    const drafted = await draft({ inventory });
    const request = drafted.body.data;
    expect([drafted.status, request.period, request.scopes]).toEqual([201, YEAR, ["scope_1", "scope_2"]]);
    expect(request.inventory).toEqual({ ...inventory, basis: "reported", digest: issue.digest });
    const again = await draft({ inventory });
    expect([again.status, again.body.data.id]).toEqual([200, request.id]);
    const records2025 = await draft({ period: YEAR, scopes: ["scope_1", "scope_2"] });
    expect([records2025.status, records2025.body.data.inventory]).toEqual([201, null]);

    const path = `${REQUESTS}/${request.id}`;
    expect((await vera.call(`${path}/inventory`)).status).toBe(404);
    const submitted = await submitTo(ada, vera, path);
    // 57.632805 t of the joint venture count at 40 %.
    expect(submitted.snapshot).toMatchObject({ record_count: 4, total_co2e_tonnes_exact: "102.803452" });
    await completeStep(vera, path, "start");
    const seen = await vera.call<Body>(`${path}/inventory`);
    expect(seen.body.data).toEqual(issue);
    expect((await vera.call(`${INVENTORY}/issues/1`)).status).toBe(404);

    // Materiality is 5.14 t, 5 % of the issue; 5 % of the records would be 6.87 t.
    const finding = { text: "Meter", severity: "high", misstatement_tonnes: "5.5" };
    expect((await vera.call(`${path}/findings`, { json: finding })).status).toBe(201);
    expect((await step(vera, path, "decide", DECISION)).status).toBe(422);
    const decided = await completeStep(vera, path, "decide", { ...DECISION, opinion: "modified" });
    const number = decided.certificate_number;
    const certified = await gateway.call<Body>(`/v1/verification/certificates/${number}/verify`);
    const { statement, statement_text, digest } = certified.body.data;
    expect(hash("sha256", statement_text)).toBe(digest);
    expect(statement).toMatchObject({
      format: 2,
      boundary: { approach: "equity_share", entities: 1, facilities: 2 },
      inventory: { basis: "reported", digest: issue.digest, issue: 1, year: 2025 },
      record_count: 4,
      scope_2_market_based_co2e_tonnes: "66.853122",
      scopes: [
        { scope: "scope_1", co2e_tonnes: "5.41033" },
        { scope: "scope_2", co2e_tonnes: "97.393122" },
      ],
      total_co2e_tonnes: "102.803452",
    });
    const page = await (await fetch(`${gateway.url}/certificates/${number}`)).text();
    expect(page).toContain("Equity share, 1 entity, 2 facilities");
    expect(page).toContain(`2025, issue 1 (reported)`);
    // The verifier may read the issue only until the decision.
    expect((await vera.call(`${path}/inventory`)).status).toBe(409);
    expect((await vera.call<Body>(path)).body.data.inventory).toMatchObject(inventory);

    await completeStep(ada, path, "reopen");
    await put(ada, `/v1/emissions/records/${records[0]?.id}`, { co2e_tonnes: "80" }, "PATCH");
    const restated = { basis: "restated", reasons: ["error"] };
    await put(ada, `${INVENTORY}/issues`, restated, "POST");
    const later = await gateway.call<Body>(`/v1/verification/certificates/${number}/verify`);
    expect(later.body.data).toMatchObject({ statement_text, digest, status: "superseded" });
    expect((await ada.call<Body>(`${path}/inventory`)).body.data).toEqual(issue);
  });

  it("accepts either an inventory, or a period and scopes", async () => {
    const { ada } = await makeInventory(gateway);
    const asked = { level: "limited", materiality_pct: 5, verifier_email: "vera@example.com" };
    const details = async (json: object) => {
      const { status, body } = await ada.call<Body>(REQUESTS, { json: { ...asked, ...json } });
      return [status, ...(body.error?.details ?? []).map(({ path }: Body) => path)];
    };
    expect(await details({})).toEqual([422, "period", "scopes"]);
    expect(await details({ period: YEAR })).toEqual([422, "scopes"]);
    const inventory = { year: 2025, issue: 1 };
    expect(await details({ inventory, scopes: ["scope_1"] })).toEqual([422, "inventory"]);
    expect(await details({ inventory })).toEqual([422, "inventory"]);
  });
});
