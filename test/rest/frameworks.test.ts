import { beforeEach, describe, expect, it } from "vitest";
import { readAuditTrail } from "../support/audit.js";
import { addFramework } from "../support/fixtures.js";
import { addMember, signUp, type TestPerson } from "../support/people.js";
import { type Envelope, makeKey, NOW } from "../support/server.js";
import { useGateway } from "../support/use.js";

const PATH = "/v1/compliance/frameworks";

const gateway = useGateway();
beforeEach(() => gateway.setNow(NOW));

const set = (person: TestPerson, code: string, json: object, version?: string) =>
  person.call(`${PATH}/${code}`, {
    method: "PUT",
    json,
    ...(version !== undefined && { headers: { "If-Match": version } }),
  });
const list = async (person: TestPerson, query = "") => (await person.call(`${PATH}${query}`)).body.data;

describe("/v1/compliance/frameworks", () => {
  it("registers the organization for a framework, and then sets its status", async () => {
    const ada = await signUp(gateway);
    const first = await set(ada, "SBTi", { status: "pending_review", note: "Targets sent in" });
    const state = {
      framework: "SBTi",
      status: "pending_review",
      last_updated: NOW.toISOString(),
      note: "Targets sent in",
      version: 1,
    };
    expect([first.status, first.headers.get("etag"), first.body.data]).toEqual([200, '"1"', state]);
    const later = new Date(NOW.getTime() + 60_000);
    gateway.setNow(later);
    const second = await set(ada, "SBTi", { status: "compliant" }, '"1"');
    const compliant = {
      ...state,
      status: "compliant",
      note: null,
      version: 2,
      last_updated: later.toISOString(),
    };
    expect([second.headers.get("etag"), second.body.data]).toEqual(['"2"', compliant]);
    await addFramework(gateway.database, ada.organization.slug, {
      framework: "CCTS",
      status: "not_applicable",
    });
    const ccts = {
      framework: "CCTS",
      status: "not_applicable",
      last_updated: "2026-11-08T09:00:00.000Z",
      note: null,
      version: 1,
    };
    expect(await list(ada)).toEqual({ items: [ccts, compliant], next_cursor: null });
    expect(await list(ada, "?status=compliant,action_required")).toEqual({
      items: [compliant],
      next_cursor: null,
    });
    const actions = (await readAuditTrail(gateway.database, ada.organization.id)).map(({ action }) => action);
    expect(actions.slice(-3)).toEqual(["framework.created", "framework.updated", "framework.created"]);
  });

  it("accepts one of two concurrent changes with the same If-Match", async () => {
    const ada = await signUp(gateway);
    await set(ada, "CDP", { status: "compliant" });
    const answers = await Promise.all([
      set(ada, "CDP", { status: "action_required" }, '"1"'),
      set(ada, "CDP", { status: "pending_review" }, '"1"'),
    ]);
    const message = 'VERSION_MISMATCH: If-Match is "1", and the current version is "2". Read it again.';
    const refused = answers.find(({ status }) => status !== 200);
    expect([refused?.status, refused?.body.error]).toEqual([
      409,
      { code: "CONFLICT", message, details: [{ path: "version", message }] },
    ]);
    expect((await set(ada, "TCFD", { status: "compliant" }, '"1"')).status).toBe(409);
    const both = await Promise.all([
      set(ada, "BRSR", { status: "compliant" }),
      set(ada, "BRSR", { status: "compliant" }),
    ]);
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
  });

  it("refuses unknown frameworks, statuses, fields and filters", async () => {
    const ada = await signUp(gateway);
    expect((await set(ada, "ISO", { status: "compliant" })).status).toBe(404);
    const wrong = await set(ada, "CDP", { status: "late", note: 1, extra: 1 });
    expect([wrong.status, wrong.body.error]).toMatchObject([
      422,
      { details: [{ path: "status" }, { path: "note" }, {}] },
    ]);
    expect((await set(ada, "CDP", { status: "compliant", note: "x".repeat(1_001) })).status).toBe(422);
    expect((await ada.call(`${PATH}?framework=CDP`)).status).toBe(400);
    expect((await ada.call(`${PATH}?status=late`)).status).toBe(400);
  });

  it("keeps statuses to their organization, and lets viewers and keys only read", async () => {
    const [ada, eve] = [await signUp(gateway), await signUp(gateway)];
    await set(ada, "CDP", { status: "compliant" });
    await set(eve, "CDP", { status: "action_required" });
    expect(await list(ada)).toMatchObject({ items: [{ status: "compliant", version: 1 }] });
    const viewer = await addMember(gateway, ada.organization.slug, "viewer");
    expect(await list(viewer)).toEqual(await list(ada));
    expect((await set(viewer, "CDP", { status: "compliant" })).body.error?.code).toBe("FORBIDDEN");
    const { key } = await makeKey(gateway.database, ada.organization.slug);
    const byKey = await gateway.call<Envelope>(`${PATH}/CDP`, {
      method: "PUT",
      headers: { "X-API-Key": key, "Content-Type": "application/json" },
      body: JSON.stringify({ status: "compliant" }),
    });
    expect([byKey.status, byKey.body.error?.code]).toEqual([401, "INVALID_KEY"]);
  });
});
