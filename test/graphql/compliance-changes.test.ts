import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { signUp, type TestPerson } from "../support/people.js";
import { type Gateway, NOW, startGateway } from "../support/server.js";

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());
beforeEach(() => gateway.setNow(NOW));

const SET = `mutation ($status: FrameworkStatus!, $note: String, $expectedVersion: Int) {
  setFrameworkStatus(input: { framework: CDP, status: $status, note: $note, expectedVersion: $expectedVersion }) {
    frameworkState { framework status lastUpdated note version upcomingDeadlines { title } } } }`;
const CREATE = `mutation ($input: CreateDeadlineInput!) { createDeadline(input: $input) { isNew deadline {
  id title dueDate status isOverdue daysRemaining recurrence source sourceUrl version } } }`;
const UPDATE = `mutation ($input: UpdateDeadlineInput!) {
  updateDeadline(input: $input) { deadline { title dueDate status recurrence version } } }`;
const COMPLETE = `mutation ($id: UUID!, $completedOn: Date!, $evidence: String) {
  completeDeadline(input: { id: $id, completedOn: $completedOn, evidence: $evidence }) {
    deadline { status completedOn evidence version } } }`;

const INPUT = { framework: "CDP", title: "Questionnaire", dueDate: "2026-12-31", recurrence: "ANNUAL" };

/** Runs a mutation, expects success, and returns its result. */
async function done(person: TestPerson, mutation: string, variables: object) {
  const { body } = await person.graphql(mutation, variables);
  expect(body.errors).toBeUndefined();
  return Object.values(body.data)[0] as never;
}
const create = (person: TestPerson, changed: object = {}): Promise<{ deadline: { id: string } }> =>
  done(person, CREATE, { input: { ...INPUT, ...changed } });

/** Runs a mutation that should be refused; returns the error's code and input paths. */
async function refused(person: TestPerson, mutation: string, variables: object) {
  const { body } = await person.graphql(mutation, variables);
  const [error] = body.errors ?? [];
  return [error?.extensions.code, error?.extensions.details?.map(({ path }: { path: string }) => path)];
}

describe("frameworks and deadlines in the graph", () => {
  it("name the invalid field of the input, or the version conflict", async () => {
    const ada = await signUp(gateway);
    const { id } = (await create(ada)).deadline;
    const unknown = "0b9fd6a2-4a0f-4f0e-9a38-5a1a3a0f1d3c";
    const cases: [string, object, unknown][] = [
      [CREATE, { input: { ...INPUT, recurrence: null } }, ["CONFLICT", ["input.recurrence"]]],
      [CREATE, { input: { ...INPUT, title: "x\u0000y" } }, ["VALIDATION_FAILED", ["input.title"]]],
      [
        CREATE,
        { input: { ...INPUT, sourceUrl: "javascript:x" } },
        ["VALIDATION_FAILED", ["input.sourceUrl"]],
      ],
      [UPDATE, { input: { id } }, ["VALIDATION_FAILED", [""]]],
      [UPDATE, { input: { id, title: "New", expectedVersion: 2 } }, ["CONFLICT", ["version"]]],
      [UPDATE, { input: { id: unknown, title: "New" } }, ["NOT_FOUND", undefined]],
      [COMPLETE, { id, completedOn: "2026-11-21" }, ["VALIDATION_FAILED", ["input.completedOn"]]],
      [COMPLETE, { id: unknown, completedOn: "2026-11-20" }, ["NOT_FOUND", undefined]],
      [SET, { status: "COMPLIANT", expectedVersion: 1 }, ["CONFLICT", ["version"]]],
      [SET, { status: "COMPLIANT", note: "x".repeat(1_001) }, ["VALIDATION_FAILED", ["input.note"]]],
    ];
    for (const [mutation, variables, expected] of cases)
      expect([variables, await refused(ada, mutation, variables)]).toEqual([variables, expected]);
    const { body } = await ada.graphql("{ compliance { frameworks { version } deadlines { totalCount } } }");
    expect(body.data.compliance).toEqual({ frameworks: [], deadlines: { totalCount: 1 } });
  });
});
