import { beforeEach, describe, expect, it } from "vitest";
import { answer, type Body, refused } from "../support/answers.js";
import { addFramework } from "../support/fixtures.js";
import { signUp, type TestPerson } from "../support/people.js";
import { NOW } from "../support/server.js";
import { useGateway } from "../support/use.js";

const PATH = "/v1/compliance/frameworks";
const gateway = useGateway();
beforeEach(() => gateway.setNow(NOW));

const set = (person: TestPerson, code: string, json: object, version?: string) =>
  person.call<Body>(`${PATH}/${code}`, {
    method: "PUT",
    json,
    ...(version !== undefined && { headers: { "If-Match": version } }),
  });

describe("/v1/compliance/frameworks", () => {
  it("registers the organization for a framework, and then sets its status", async () => {
    const [ada, eve] = [await signUp(gateway), await signUp(gateway)];
    const state = await answer(set(ada, "SBTi", { status: "pending_review", note: "Targets sent in" }), 200, {
      framework: "SBTi",
      status: "pending_review",
      last_updated: NOW.toISOString(),
      note: "Targets sent in",
      version: 1,
    });
    const later = new Date(NOW.getTime() + 60_000);
    gateway.setNow(later);
    const compliant = {
      ...state,
      status: "compliant",
      note: null,
      version: 2,
      last_updated: later.toISOString(),
    };
    await answer(set(ada, "SBTi", { status: "compliant" }, '"1"'), 200, compliant);
    const { slug } = ada.organization;
    await addFramework(gateway.database, slug, { framework: "CCTS", status: "not_applicable" });
    await answer(set(eve, "SBTi", { status: "action_required" }), 200);
    const list = (query = "") => ada.call(`${PATH}${query}`);
    const { items } = await answer(list(), 200);
    expect(items).toEqual([
      expect.objectContaining({ framework: "CCTS", note: null, version: 1 }),
      compliant,
    ]);
    const filtered = { items: [compliant], next_cursor: null };
    await answer(list("?status=compliant,action_required"), 200, filtered);
  });

  it("registers a framework for requests without a version only, even at once", async () => {
    const ada = await signUp(gateway);
    await refused(set(ada, "TCFD", { status: "compliant" }, '"1"'), 409);
    const both = [set(ada, "BRSR", { status: "compliant" }), set(ada, "BRSR", { status: "compliant" })];
    for (const call of both) await answer(call, 200);
    expect((await set(ada, "BRSR", { status: "compliant" })).headers.get("etag")).toBe('"3"');
  });

  it("refuses unknown frameworks, statuses, fields and filters", async () => {
    const ada = await signUp(gateway);
    await refused(set(ada, "ISO", { status: "compliant" }), 404);
    await refused(set(ada, "CDP", { status: "late", note: 1, extra: 1 }), 422, ["status", "note", "extra"]);
    await refused(set(ada, "CDP", { status: "compliant", note: "x".repeat(1_001) }), 422);
    for (const query of ["framework=CDP", "status=late"]) await refused(ada.call(`${PATH}?${query}`), 400);
  });
});
