import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApiPage } from "../../.config/api-page.js";
import { loadSample } from "../../src/actions/bundle/sample.js";
import { SAMPLE_FOLDER } from "../../src/paths.js";
import { readPage } from "../support/pages.js";
import { signUp, signUpSuperAdmin, type TestPerson } from "../support/people.js";
import { learnPassword } from "../support/secrets.js";
import { type Envelope, type Gateway, NOW, startGateway } from "../support/server.js";

const PASSWORD = "rowing across the bay";

/** Endpoints named in section 4 of the contract besides the five; `root` is a super admin. */
const NAMED: readonly {
  readonly row: string;
  /** A request to it, if it differs from the row. */
  readonly path?: string;
  readonly json?: object | string;
  readonly by?: "root" | "nobody";
  readonly status?: number;
}[] = [
  {
    row: "POST /auth/register",
    json: { email: "new@example.org", password: PASSWORD, name: "New", organization: { name: "New" } },
    by: "nobody",
    status: 201,
  },
  { row: "POST /auth/login", json: { email: "new@example.org", password: PASSWORD }, by: "nobody" },
  { row: "POST /auth/refresh", json: { refresh_token: "unknown" }, by: "nobody", status: 401 },
  { row: "GET /auth/me" },
  { row: "POST /auth/me" },
  { row: "GET /markets/india" },
  { row: "GET /markets/singapore" },
  { row: "GET /markets/global" },
  { row: "GET /markets/price-index" },
  {
    row: "POST /calc/cbam",
    json: { year: 2026, lines: [{ cn_code: "72083600", country: "IN", mass_t: 1 }] },
  },
  { row: "GET /anomalies" },
  ...["emissions", "compliance", "credits", "market"].flatMap((module) => [
    { row: "POST /{module}/chat", path: `/${module}/chat`, json: { message: "What can you answer?" } },
    { row: `POST /${module}/insights`, json: {} },
  ]),
  { row: "GET /emissions/predictions" },
  { row: "GET /emissions/forecast" },
  { row: "GET /emissions/anomalies" },
  {
    row: "POST /{module}/import",
    path: "/emissions/import?dry_run=true",
    json: "recorded_on,scope,co2e_tonnes\n2026-11-01,scope_1,1\n",
  },
  { row: "GET /audit/log" },
  { row: "GET /verification/requests" },
  { row: "GET /verification/certificates" },
  { row: "GET /users/me/notification-preferences" },
  { row: "PATCH /users/me/notification-preferences", json: {} },
  { row: "POST /announcements/active" },
  { row: "GET /admin/monitoring", by: "root" },
  // Named as there since the first version.
  { row: "GET /emissions/records" },
  {
    row: "POST /emissions/records",
    json: { recorded_on: "2026-11-02", scope: "scope_1", co2e_tonnes: "1.5", reference: "named" },
    status: 201,
  },
  { row: "GET /facilities" },
  { row: "POST /calc/ghg", json: { items: [{ amount: "1", unit: "kg", gas: "CO2" }] } },
  { row: "GET /emissions/kpis" },
  { row: "GET /emissions/trend" },
  { row: "GET /compliance/frameworks" },
  { row: "GET /compliance/ccts" },
  { row: "GET /credits/batches" },
  { row: "GET /cbam/declarations" },
  { row: "GET /compliance/deadlines" },
  { row: "POST /auth/logout", json: {} },
];

let gateway: Gateway;
let owner: TestPerson;
let root: TestPerson;
beforeAll(async () => {
  learnPassword(PASSWORD);
  gateway = await startGateway({ env: { REGISTRATION: "open" } });
  await loadSample(gateway.database, SAMPLE_FOLDER, NOW);
  owner = await signUp(gateway, { organization: "demo" });
  root = await signUpSuperAdmin(gateway);
});
afterAll(() => gateway.stop());

describe("names in the contract besides its five endpoints", () => {
  it.each(NAMED.map((named) => [`${named.row} ${named.path ?? ""}`, named] as const))(
    "is described, and answers: %s",
    async (_name, { row, path, json, by, status = 200 }) => {
      const [method = "", template = ""] = row.split(" ");
      const { paths } = (await gateway.call<{ paths: Record<string, object> }>("/openapi.json")).body;
      expect(Object.keys(paths[template] ?? {})).toContain(method.toLowerCase());
      const caller = by === "nobody" ? gateway : by === "root" ? root : owner;
      const type = typeof json === "string" ? "text/csv" : "application/json";
      const answer = await caller.call<Envelope>(`/v1${path ?? template}`, {
        method,
        ...(json !== undefined && {
          headers: { "Content-Type": type },
          body: typeof json === "string" ? json : JSON.stringify(json),
        }),
      });
      expect([answer.status, answer.body]).toEqual([
        status,
        expect.objectContaining({ success: status < 400, meta: expect.anything() }),
      ]);
    },
  );
});

describe("docs/api.md", () => {
  it("matches the output of `npm run generate`", async () => {
    expect(await readPage("docs/api.md")).toBe(await createApiPage());
  });
});
