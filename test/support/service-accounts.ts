import type { Role } from "../../src/domain/people/roles.js";
import { callWith, type TestCaller, type TestPerson } from "./people.js";
import { learnKeys } from "./secrets.js";
import type { Gateway } from "./server.js";

/** A service account, whose token authenticates the calls. */
export interface TestServiceAccount extends TestCaller {
  readonly id: string;
  readonly token: string;
}

/** Returns a caller that sends a bearer token. */
export function withBearer(gateway: Gateway, bearer: string): Omit<TestServiceAccount, "id"> {
  learnKeys(bearer);
  return { token: bearer, ...callWith(gateway, { Authorization: `Bearer ${bearer}` }) };
}

/** Creates a service account in a user's organization, by default as admin with every scope. */
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
