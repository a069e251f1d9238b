import { beforeEach, describe, expect, it } from "vitest";
import { answer, type Body, refused } from "../support/answers.js";
import { readAuditTrail } from "../support/audit.js";
import { addDeadline } from "../support/fixtures.js";
import { signUp, type TestPerson } from "../support/people.js";
import { makeKey, NOW } from "../support/server.js";
import { useGateway } from "../support/use.js";

const PATH = "/v1/compliance/deadlines";

const gateway = useGateway();
beforeEach(() => gateway.setNow(NOW));

const NEW = { framework: "SG_CCS", title: "Emissions report", due_date: "2027-06-30" };

const add = (person: TestPerson, changed: object = {}) =>
  person.call<Body>(PATH, { json: { ...NEW, ...changed } });
const change = (person: TestPerson, id: string, json: object, headers = {}) =>
  person.call<Body>(`${PATH}/${id}`, { method: "PATCH", json, headers });
const complete = (person: TestPerson, id: string, changed: object = {}, headers = {}) =>
  change(
    person,
    id,
    { status: "completed", completed_on: "2026-11-19", evidence: "Receipt 7", ...changed },
    headers,
  );
const listed = async (person: TestPerson, query = ""): Promise<Body[]> =>
  (await answer(person.call(`${PATH}${query}`), 200)).items;
const dates = async (person: TestPerson) => (await listed(person)).map(({ due_date }) => due_date);
const trailOf = ({ organization }: TestPerson) => readAuditTrail(gateway.database, organization.id);

describe("/v1/compliance/deadlines", () => {
  it("adds a deadline, and names what differs from an existing one", async () => {
    const ada = await signUp(gateway);
    const source = {
      source: "Carbon Pricing Act 2018; NEA",
      source_url: "https://sso.agc.gov.sg/Act/CPA2018",
    };
    await answer(add(ada, { ...source, recurrence: "annual", status: "pending" }), 201, {
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
    });
    const message =
      'The deadline "Emissions report" of SG_CCS on 2027-06-30 already exists with a different recurrence, source_url.';
    await refused(add(ada, { ...source, source_url: null }), 409, message);
  });

  it("keeps the owner on the next deadline, until null removes them", async () => {
    const ada = await signUp(gateway);
    const { id } = await answer(add(ada, { owner: "Asha Rao", recurrence: "annual" }), 201);
    await answer(add(ada, { recurrence: "annual" }), 200);
    await answer(change(ada, id, { owner: "Finance" }), 200, expect.objectContaining({ owner: "Finance" }));
    for (const owner of ["", "x".repeat(201)]) await refused(change(ada, id, { owner }), 422);
    await refused(complete(ada, id, { owner: "Legal" }), 422);
    await answer(complete(ada, id), 200);
    expect(await listed(ada)).toMatchObject([{ owner: "Finance" }, { owner: "Finance", version: 1 }]);
    const [, next] = await listed(ada);
    await answer(change(ada, next.id, { owner: null }), 200, expect.objectContaining({ owner: null }));
    expect((await trailOf(ada)).at(-1)).toMatchObject({
      action: "deadline.updated",
      // The trail holds no names of people.
      changes: { owner: { from: "***", to: null } },
    });
  });

  it("changes all fields of a deadline, except to those of another one", async () => {
    const ada = await signUp(gateway);
    const { id } = await answer(add(ada), 201);
    const patch = { title: "Report", due_date: "2026-11-01", status: "pending", recurrence: "monthly" };
    const changed = { ...patch, overdue: true, version: 2 };
    await answer(change(ada, id, patch), 200, expect.objectContaining(changed));
    expect((await answer(change(ada, id, { recurrence: null }), 200)).recurrence).toBeNull();
    await answer(add(ada, { title: "Other" }), 201);
    const taken = change(ada, id, { title: "Other", due_date: NEW.due_date });
    await refused(taken, 409, { title: 'The deadline "Other" of SG_CCS on 2027-06-30 already exists.' });
    for (const json of [{}, { title: "" }, { due_date: "0999-12-31" }])
      await refused(change(ada, id, json), 422);
  });

  it("completes a deadline once, and adds the next if it recurs", async () => {
    const ada = await signUp(gateway);
    const { id } = await answer(add(ada, { recurrence: "monthly", due_date: "2027-01-31" }), 201);
    const completed = await answer(complete(ada, id, {}, { "If-Match": '"1"' }), 200);
    expect(completed).toMatchObject({
      status: "completed",
      completed_on: "2026-11-19",
      evidence: "Receipt 7",
    });
    const actions = (await trailOf(ada)).map(({ action }) => action).slice(-2);
    expect(actions).toEqual(["deadline.completed", "deadline.created"]);
    const again = [complete(ada, id), complete(ada, id, {}, { "If-Match": '"1"' })];
    for (const call of again) await answer(call, 200, completed);
    const stays = { status: "The deadline was completed on 2026-11-19 and can no longer be changed." };
    await refused(complete(ada, id, { evidence: null }), 409, stays);
    await refused(change(ada, id, { status: "pending" }), 409, stays);

    const [, next] = await listed(ada);
    const recurred = { status: "pending", recurrence: "monthly", version: 1, completed_on: null };
    expect(next).toMatchObject({ due_date: "2027-02-28", ...recurred });
    await answer(complete(ada, next.id), 200);
    expect(await dates(ada)).toEqual(["2027-01-31", "2027-02-28", "2027-03-31"]);
  });

  it("adds no next deadline if it exists, even for concurrent completions", async () => {
    const ada = await signUp(gateway);
    const { id } = await answer(add(ada, { recurrence: "annual", due_date: "2028-02-29" }), 201);
    await answer(add(ada, { due_date: "2029-02-28" }), 201);
    for (const call of [complete(ada, id), complete(ada, id), complete(ada, id)]) await answer(call, 200);
    expect(await dates(ada)).toEqual(["2028-02-29", "2029-02-28"]);
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
    const titles = async (query: string) => (await listed(ada, query)).map(({ title }) => title).join();
    expect(await titles("?overdue=true")).toBe("a");
    expect(await titles("?overdue=false&framework=CDP")).toBe("c,b,d");
    expect(await titles("?framework=SG_CCS,EU_CBAM")).toBe("Emissions report");
    expect(await titles("?status=pending&from=2026-11-20&to=2027-06-30")).toBe("b,Emissions report");
    expect(await titles("?to=2026-11-20")).toBe("a,c,b");
    expect(await titles("?status=missed,waived")).toBe("c");
    const { key } = await makeKey(gateway.database, slug);
    const overdueByKey = async () => {
      const headers = { "X-API-Key": key };
      const { items } = await answer(gateway.call<Body>(`${PATH}?overdue=true`, { headers }), 200);
      return items.map(({ title, version }: Body) => `${title} ${version}`).join();
    };
    expect(await overdueByKey()).toBe("a 1");
    gateway.setNow(new Date("2026-11-21T00:00:00Z"));
    expect(await overdueByKey()).toBe("a 1,b 1");
    gateway.setNow(NOW);
    const wrong = [
      "frameworks=CDP",
      "framework=CDPP",
      "status=late",
      "overdue=yes",
      "from=2026",
      "from=0000-01-01",
    ];
    for (const query of wrong) await refused(ada.call(`${PATH}?${query}`), 400);
    const { next_cursor } = await answer(ada.call(`${PATH}?limit=2`), 200);
    expect(await titles(`?limit=2&cursor=${next_cursor}`)).toBe("b,Emissions report");
  });

  it("reports all problems of a deadline together", async () => {
    const ada = await signUp(gateway);
    const wrong = { title: " ", source_url: "ftp://x", due_date: "0001-01-01" };
    await refused(add(ada, wrong), 422, ["title", "due_date", "source_url"]);
    await refused(add(ada, { framework: "ISO", recurrence: "weekly" }), 422, ["framework", "recurrence"]);
    const { id } = await answer(add(ada), 201);
    await refused(complete(ada, id, { completed_on: "2026-11-21", evidence: "" }), 422, {
      completed_on: "completed_on must be today (2026-11-20) or earlier (got 2026-11-21).",
      evidence: "evidence must not be blank.",
    });
    await refused(change(ada, id, { status: "completed" }), 422, ["completed_on"]);
    await refused(change(ada, id, { title: "X", completed_on: "2026-11-19" }), 422, ["completed_on"]);
    await refused(change(ada, id, { evidence: "Receipt 7" }), 422, ["evidence"]);
    await refused(complete(ada, id, { title: "X" }), 422, {
      title: 'title cannot be changed with the status "completed".',
    });
  });
});
