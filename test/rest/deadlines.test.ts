import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { readAuditTrail } from "../support/audit.js";
import { addDeadline } from "../support/fixtures.js";
import { addMember, signUp, type TestPerson } from "../support/people.js";
import { type Answer, type Envelope, makeKey, NOW } from "../support/server.js";
import { useGateway } from "../support/use.js";

const PATH = "/v1/compliance/deadlines";

const gateway = useGateway();
beforeEach(() => gateway.setNow(NOW));

const NEW = { framework: "SG_CCS", title: "Emissions report", due_date: "2027-06-30" };

interface Deadline {
  readonly id: string;
  readonly due_date: string;
  readonly version: number;
}

const add = (person: TestPerson, changed: object = {}) =>
  person.call(PATH, { json: { ...NEW, ...changed } }) as Promise<Answer<Envelope & { data: Deadline }>>;
const change = (person: TestPerson, id: string, json: object, headers = {}) =>
  person.call<Envelope & { data: Deadline }>(`${PATH}/${id}`, { method: "PATCH", json, headers });
const complete = (person: TestPerson, id: string, changed: object = {}, headers = {}) =>
  change(
    person,
    id,
    { status: "completed", completed_on: "2026-11-19", evidence: "Receipt 7", ...changed },
    headers,
  );
const listed = async (person: TestPerson, query = "") => {
  const { status, body } = await person.call<Envelope & { data: { items: Deadline[] } }>(`${PATH}${query}`);
  expect([status, body.error]).toEqual([200, null]);
  return body.data.items;
};
const refusal = ({ status, body }: Answer<Envelope>) => [status, body.error];
const conflict = (path: string, message: string) => [
  409,
  { code: "CONFLICT", message, details: [{ path, message }] },
];

describe("/v1/compliance/deadlines", () => {
  it("adds a deadline, and returns the same one if it is sent again", async () => {
    const ada = await signUp(gateway);
    const source = {
      source: "Carbon Pricing Act 2018; NEA",
      source_url: "https://sso.agc.gov.sg/Act/CPA2018",
    };
    const created = await add(ada, { ...source, recurrence: "annual", status: "pending" });
    const deadline = created.body.data;
    expect([created.status, deadline]).toEqual([
      201,
      {
        id: expect.any(String),
        ...NEW,
        duty: true,
        status: "pending",
        overdue: false,
        completed_on: null,
        evidence: null,
        owner: null,
        recurrence: "annual",
        ...source,
        version: 1,
      },
    ]);
    const location = created.headers.get("location") ?? "";
    expect(location).toBe(`${PATH}/${deadline.id}`);
    const read = await ada.call(location);
    expect([read.status, read.headers.get("etag"), read.body.data]).toEqual([
      200,
      expect.stringMatching(/^"1-/),
      deadline,
    ]);

    const again = await add(ada, { ...source, recurrence: "annual" });
    expect([again.status, again.headers.get("location"), again.body.data]).toEqual([200, null, deadline]);
    expect(refusal(await add(ada, { ...source, source_url: null }))).toEqual([
      409,
      {
        code: "CONFLICT",
        message:
          'The deadline "Emissions report" of SG_CCS on 2027-06-30 already exists with a different recurrence, source_url.',
        details: [
          { path: "recurrence", message: "is stored as annual, got nothing" },
          { path: "source_url", message: `is stored as ${source.source_url}, got nothing` },
        ],
      },
    ]);
    expect((await readAuditTrail(gateway.database, ada.organization.id)).at(-1)).toMatchObject({
      action: "deadline.created",
      actor: { type: "user", id: ada.user.id },
      target: { id: expect.stringContaining(deadline.id) },
    });
  });

  it("keeps the owner on the next deadline, until null removes them", async () => {
    const ada = await signUp(gateway);
    const owned = { owner: "Asha Rao", recurrence: "annual" };
    const { id } = (await add(ada, owned)).body.data;
    for (const again of [owned, { recurrence: "annual" }]) expect((await add(ada, again)).status).toBe(200);
    expect(refusal(await add(ada, { ...owned, owner: "Finance" }))).toMatchObject([
      409,
      { details: [{ path: "owner", message: "is stored as Asha Rao, got Finance" }] },
    ]);
    expect((await change(ada, id, { owner: "Finance" })).body.data).toMatchObject({ owner: "Finance" });
    for (const owner of ["", "x".repeat(201)])
      expect(refusal(await change(ada, id, { owner }))).toMatchObject([422, { code: "VALIDATION_FAILED" }]);
    expect((await complete(ada, id, { owner: "Legal" })).status).toBe(422);
    await complete(ada, id);
    expect(await listed(ada)).toMatchObject([{ owner: "Finance" }, { owner: "Finance", version: 1 }]);
    const [, next] = await listed(ada);
    expect((await change(ada, next?.id ?? "", { owner: null })).body.data).toMatchObject({ owner: null });
    expect((await readAuditTrail(gateway.database, ada.organization.id)).at(-1)).toMatchObject({
      action: "deadline.updated",
      // The trail holds no names of people.
      changes: { owner: { from: "***", to: null } },
    });
  });

  it("adds one deadline for identical concurrent requests", async () => {
    const ada = await signUp(gateway);
    const answers = await Promise.all([add(ada), add(ada), add(ada)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 201]);
    expect(await listed(ada)).toHaveLength(1);
  });

  it("accepts one of two concurrent changes with the same If-Match", async () => {
    const ada = await signUp(gateway);
    const { id } = (await add(ada)).body.data;
    const seen = { "If-Match": '"1"' };
    const answers = await Promise.all([
      change(ada, id, { status: "missed" }, seen),
      change(ada, id, { status: "waived" }, seen),
    ]);
    const [late] = answers.filter(({ status }) => status !== 200) as [Answer<Envelope>];
    expect(refusal(late)).toEqual(
      conflict(
        "version",
        'VERSION_MISMATCH: If-Match is "1", and the current version is "2". Read it again.',
      ),
    );
    const patch = { title: "Report", due_date: "2026-11-01", status: "pending", recurrence: "monthly" };
    const changed = await change(ada, id, patch, { "If-Match": '"2"' });
    expect([changed.headers.get("etag"), changed.body.data]).toEqual([
      expect.stringMatching(/^"3-/),
      expect.objectContaining({ ...patch, overdue: true, version: 3 }),
    ]);
    expect((await change(ada, id, { recurrence: null })).body.data).toMatchObject({ recurrence: null });
    await add(ada, { title: "Other" });
    expect(refusal(await change(ada, id, { title: "Other", due_date: NEW.due_date }))).toEqual(
      conflict("title", 'The deadline "Other" of SG_CCS on 2027-06-30 already exists.'),
    );
    for (const json of [{}, { title: "" }, { due_date: "0999-12-31" }])
      expect(refusal(await change(ada, id, json))).toMatchObject([422, { code: "VALIDATION_FAILED" }]);
  });

  it("completes a deadline once, and adds the next if it recurs", async () => {
    const ada = await signUp(gateway);
    const { id } = (await add(ada, { recurrence: "monthly", due_date: "2027-01-31" })).body.data;
    const completed = await complete(ada, id, {}, { "If-Match": '"1"' });
    expect([completed.status, completed.headers.get("etag"), completed.body.data]).toEqual([
      200,
      expect.stringMatching(/^"2-/),
      expect.objectContaining({ status: "completed", completed_on: "2026-11-19", evidence: "Receipt 7" }),
    ]);
    expect(
      (await readAuditTrail(gateway.database, ada.organization.id)).map(({ action }) => action).slice(-2),
    ).toEqual(["deadline.completed", "deadline.created"]);
    const again = await Promise.all([complete(ada, id), complete(ada, id, {}, { "If-Match": '"1"' })]);
    expect(again.map(({ status, body }) => [status, body.data])).toEqual(
      Array(2).fill([200, completed.body.data]),
    );
    const stays = conflict(
      "status",
      "The deadline was completed on 2026-11-19 and can no longer be changed.",
    );
    expect(refusal(await complete(ada, id, { evidence: null }))).toEqual(stays);
    expect(refusal(await change(ada, id, { status: "pending" }))).toEqual(stays);

    const [, next] = await listed(ada);
    expect(next).toMatchObject({
      due_date: "2027-02-28",
      status: "pending",
      recurrence: "monthly",
      version: 1,
      completed_on: null,
    });
    await complete(ada, next?.id ?? "");
    expect((await listed(ada)).map(({ due_date }) => due_date)).toEqual([
      "2027-01-31",
      "2027-02-28",
      "2027-03-31",
    ]);
  });

  it("adds no next deadline if it exists, even for concurrent completions", async () => {
    const ada = await signUp(gateway);
    const { id } = (await add(ada, { recurrence: "annual", due_date: "2028-02-29" })).body.data;
    await add(ada, { due_date: "2029-02-28" });
    const answers = await Promise.all([complete(ada, id), complete(ada, id), complete(ada, id)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await listed(ada)).map(({ due_date }) => due_date)).toEqual(["2028-02-29", "2029-02-28"]);
  });

  it("derives overdue from the date, and filters by it and other fields", async () => {
    const ada = await signUp(gateway);
    const { slug } = ada.organization;
    for (const [title, dueDate, status] of [
      ["a", "2026-11-19", "pending"],
      ["b", "2026-11-20", "pending"],
      ["c", "2026-11-19", "missed"],
      ["d", "2027-11-19", "Pending"],
    ] as const)
      await addDeadline(gateway.database, slug, { framework: "CDP", title, dueDate, status });
    await add(ada);
    const titles = async (query: string) =>
      (await listed(ada, query)).map((item) => (item as unknown as { title: string }).title).join();
    expect(await titles("?overdue=true")).toBe("a");
    expect(await titles("?overdue=false&framework=CDP")).toBe("c,b,d");
    expect(await titles("?framework=SG_CCS,EU_CBAM")).toBe("Emissions report");
    expect(await titles("?status=pending&from=2026-11-20&to=2027-06-30")).toBe("b,Emissions report");
    expect(await titles("?to=2026-11-20")).toBe("a,c,b");
    expect(await titles("?status=missed,waived")).toBe("c");
    const { key } = await makeKey(gateway.database, slug);
    const overdueByKey = async () => {
      const path = `${PATH}?overdue=true`;
      const { body } = await gateway.call<Envelope & { data: { items: (Deadline & { title: string })[] } }>(
        path,
        { headers: { "X-API-Key": key } },
      );
      return body.data.items.map(({ title, version }) => [title, version]);
    };
    expect(await overdueByKey()).toEqual([["a", 1]]);
    gateway.setNow(new Date("2026-11-21T00:00:00Z"));
    expect(await overdueByKey()).toEqual([
      ["a", 1],
      ["b", 1],
    ]);
    gateway.setNow(NOW);
    for (const query of [
      "?frameworks=CDP",
      "?framework=CDPP",
      "?status=late",
      "?overdue=yes",
      "?from=2026",
      "?from=0000-01-01",
    ]) {
      expect([query, (await ada.call(`${PATH}${query}`)).status]).toEqual([query, 400]);
    }
    const first = await ada.call<Envelope & { data: { next_cursor: string } }>(`${PATH}?limit=2`);
    const query = `?limit=2&cursor=${first.body.data.next_cursor}`;
    expect(await titles(query)).toBe("b,Emissions report");
  });

  it("reports all problems of a deadline together", async () => {
    const ada = await signUp(gateway);
    expect(
      refusal(await add(ada, { title: " ", source_url: "ftp://x", due_date: "0001-01-01" })),
    ).toMatchObject([422, { details: [{ path: "title" }, { path: "due_date" }, { path: "source_url" }] }]);
    expect(refusal(await add(ada, { framework: "ISO", recurrence: "weekly" }))).toMatchObject([
      422,
      { details: [{ path: "framework" }, { path: "recurrence" }] },
    ]);
    const { id } = (await add(ada)).body.data;
    expect(refusal(await complete(ada, id, { completed_on: "2026-11-21", evidence: "" }))).toEqual([
      422,
      {
        code: "VALIDATION_FAILED",
        message:
          "completed_on must be today (2026-11-20) or earlier (got 2026-11-21). evidence must not be blank.",
        details: [
          {
            path: "completed_on",
            message: "completed_on must be today (2026-11-20) or earlier (got 2026-11-21).",
          },
          { path: "evidence", message: "evidence must not be blank." },
        ],
      },
    ]);
    expect(refusal(await change(ada, id, { status: "completed" }))).toMatchObject([
      422,
      { details: [{ path: "completed_on" }] },
    ]);
    expect(refusal(await change(ada, id, { title: "X", completed_on: "2026-11-19" }))).toMatchObject([
      422,
      { details: [{ path: "completed_on" }] },
    ]);
    expect(refusal(await change(ada, id, { evidence: "Receipt 7" }))).toMatchObject([
      422,
      { details: [{ path: "evidence" }] },
    ]);
    expect(refusal(await complete(ada, id, { title: "X" }))).toMatchObject([
      422,
      { details: [{ path: "title", message: 'title cannot be changed with the status "completed".' }] },
    ]);
  });

  it("keeps deadlines to their organization, and lets viewers and keys only read", async () => {
    const [ada, eve] = [await signUp(gateway), await signUp(gateway)];
    const { id } = (await add(ada)).body.data;
    for (const unknown of [id, randomUUID(), "x"]) {
      const answers = [
        await eve.call(`${PATH}/${unknown}`),
        await change(eve, unknown, { title: "Mine" }),
        await complete(eve, unknown),
      ];
      expect(answers.map(({ status, body }) => [status, body.error?.code])).toEqual(
        Array(3).fill([404, "NOT_FOUND"]),
      );
    }
    const viewer = await addMember(gateway, ada.organization.slug, "viewer");
    expect(await listed(viewer)).toEqual(await listed(ada));
    const { key } = await makeKey(gateway.database, ada.organization.slug);
    const byKey = (path: string, init: RequestInit = {}) =>
      gateway.call<Envelope>(path, {
        ...init,
        headers: { "X-API-Key": key, "Content-Type": "application/json" },
      });
    expect((await byKey(`${PATH}/${id}`)).status).toBe(200);
    const body = JSON.stringify({ title: "Mine" });
    const refused = [
      await add(viewer),
      await change(viewer, id, { title: "Mine" }),
      await byKey(PATH, { method: "POST", body: JSON.stringify(NEW) }),
      await byKey(`${PATH}/${id}`, { method: "PATCH", body }),
    ];
    expect(refused.map(({ status, body }) => [status, body.error?.code])).toEqual([
      [403, "FORBIDDEN"],
      [403, "FORBIDDEN"],
      [401, "INVALID_KEY"],
      [401, "INVALID_KEY"],
    ]);
  });
});
