import { expect } from "vitest";
import type { Pepper } from "../../src/access/secrets/api-key.js";
import { addRecord } from "./fixtures.js";
import { addMember, signUp, type TestPerson } from "./people.js";
import { learnKeys } from "./secrets.js";
import type { Answer, Envelope, Gateway } from "./server.js";

// biome-ignore lint/suspicious/noExplicitAny: each test asserts the shape of its response
type Body = any;

export const REQUESTS = "/v1/verification/requests";
export const YEAR = { from: "2025-01-01", to: "2025-12-31" };

/** Returns the input of a verification request. */
export const requestInput = (verifier: Pick<TestPerson, "user">, more: object = {}) => ({
  period: YEAR,
  scopes: ["scope_1", "scope_2", "scope_3"],
  level: "limited",
  materiality_pct: 5,
  verifier_email: verifier.user.email,
  ...more,
});

/** Creates an organization with an admin and three records of 2025, and a verifier of another organization. */
export async function prepareVerification(gateway: Gateway, pepper?: Pepper) {
  const owner = await signUp(gateway, { pepper });
  const { slug } = owner.organization;
  const ada = await addMember(gateway, slug, "admin", { pepper });
  const vera = await signUp(gateway, { name: "Vera Verifier", pepper });
  const records = [
    await addRecord(gateway.database, slug, {
      recordedOn: "2025-01-01",
      co2eTonnes: "100.5",
      reference: "r-1",
    }),
    await addRecord(gateway.database, slug, {
      recordedOn: "2025-12-31",
      scope: "scope_2",
      co2eTonnes: "200.25",
      reference: "r-2",
    }),
    await addRecord(gateway.database, slug, { recordedOn: "2025-06-30", scope: "scope_3", co2eTonnes: "0" }),
  ];
  await addRecord(gateway.database, slug, { recordedOn: "2026-01-01", co2eTonnes: "7" });
  return { owner, ada, vera, records };
}

/** Drafts a request; returns it with its path and the answer. */
export async function draft(ada: TestPerson, vera: Pick<TestPerson, "user">, more: object = {}) {
  const answer = await ada.call(REQUESTS, { json: requestInput(vera, more) });
  const request = answer.body.data as Body;
  return { ...answer, request, path: `${REQUESTS}/${request?.id}` };
}

/** Attempts a step of a request. */
export const step = (
  person: TestPerson,
  path: string,
  name: string,
  json?: object,
  version = "*",
): Promise<Answer<Envelope>> =>
  person.call(`${path}/${name}`, { method: "POST", headers: { "If-Match": version }, ...(json && { json }) });

/** Takes a step, expects success, and returns the request. */
export async function completeStep(
  person: TestPerson,
  path: string,
  name: string,
  json?: object,
): Promise<Body> {
  const { status, body } = await step(person, path, name, json);
  expect([name, status, body.error]).toEqual([name, 200, null]);
  return body.data;
}

/** Returns the token of a verifier's link. */
export function tokenOf({ verifier_link }: { readonly verifier_link: string }): string {
  learnKeys(verifier_link);
  return new URL(verifier_link).hash.replace("#verify=", "");
}

/** Accepts a request by the token of its link. */
export const accept = (person: TestPerson, token: string): Promise<Answer<Envelope>> =>
  person.call("/v1/verification/assignments/accept", { json: { token } });

/** Submits a draft, accepts it as the verifier, and confirms the verifier; returns the request. */
export async function submitTo(ada: TestPerson, vera: TestPerson, path: string): Promise<Body> {
  const submitted = await completeStep(ada, path, "submit");
  expect((await accept(vera, tokenOf(submitted))).status).toBe(200);
  return completeStep(ada, path, "verifier/confirm");
}

export const DECISION = { opinion: "unmodified", statement: "Nothing came to my attention." };

/** Takes a new request through all steps to a decision. */
export async function verify(ada: TestPerson, vera: TestPerson, more: object = {}) {
  const { path } = await draft(ada, vera, more);
  await submitTo(ada, vera, path);
  await completeStep(vera, path, "start");
  return { path, request: await completeStep(vera, path, "decide", DECISION) };
}
