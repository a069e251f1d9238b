import type { Role } from "../../src/domain/people/roles.js";
import { learnKeys } from "./heard.js";
import type { PersonRequest, TestPerson } from "./people.js";
import type { Answer, Envelope, Gateway, GraphqlAnswer, GraphqlBody } from "./server.js";

/** A service account, which calls with its token. */
export interface TestServiceAccount {
  readonly id: string;
  readonly token: string;
  call<Body = Envelope>(path: string, request?: PersonRequest): Promise<Answer<Body>>;
  graphql(query: string, variables?: object): Promise<GraphqlAnswer>;
}

/** Calls with a bearer. */
export function withBearer(gateway: Gateway, bearer: string): Omit<TestServiceAccount, "id"> {
  learnKeys(bearer);
  const call = <Body>(path: string, { json, ...init }: PersonRequest = {}) =>
    gateway.call<Body>(path, {
      ...(json !== undefined && { method: "POST", body: JSON.stringify(json) }),
      ...init,
      headers: {
        Authorization: `Bearer ${bearer}`,
        ...(json !== undefined && { "Content-Type": "application/json" }),
        ...(init.headers as Record<string, string> | undefined),
      },
    });
  return {
    token: bearer,
    call,
    async graphql(query, variables) {
      const answer = await call<GraphqlBody & { extensions?: { cost?: number } }>("/graphql", {
        json: { query, variables },
      });
      const { extensions, ...body } = answer.body;
      return { ...answer, body, cost: extensions?.cost };
    },
  };
}

/** Makes a service account of a person's organization: an admin's with every scope, unless told otherwise. */
export async function addServiceAccount(
  gateway: Gateway,
  person: TestPerson,
  {
    role = "admin",
    ...settings
  }: { role?: Exclude<Role, "owner">; name?: string; scopes?: string[]; expires_at?: string } = {},
): Promise<TestServiceAccount> {
  const { status, body } = await person.call("/v1/service-accounts", {
    json: { name: "Nightly import", role, ...settings },
  });
  if (status !== 201) throw new Error(`no service account: ${JSON.stringify(body)}`);
  const { service_account: account, token } = body.data as { service_account: { id: string }; token: string };
  return { id: account.id, ...withBearer(gateway, token) };
}
