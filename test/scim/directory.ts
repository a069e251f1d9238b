import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { signUp, type TestPerson } from "../support/people.js";
import { type Gateway, NOW } from "../support/server.js";
import { addServiceAccount, type TestServiceAccount } from "../support/service-accounts.js";

export const USER = "urn:ietf:params:scim:schemas:core:2.0:User";
export const GROUP = "urn:ietf:params:scim:schemas:core:2.0:Group";
export const PATCH = "urn:ietf:params:scim:api:messages:2.0:PatchOp";

export interface Resource {
  readonly id: string;
  readonly userName: string;
  readonly active: boolean;
  readonly displayName: string;
  readonly emails: readonly { readonly value: string }[];
  readonly groups: readonly { readonly value: string; readonly display: string }[];
  readonly members: readonly { readonly value: string; readonly $ref: string; readonly type: string }[];
  readonly meta: { readonly version: string; readonly location: string };
  readonly [name: string]: unknown;
}

export interface List {
  readonly totalResults: number;
  readonly startIndex: number;
  readonly itemsPerPage: number;
  readonly Resources: readonly Resource[];
}

export interface Fault {
  readonly status: string;
  readonly scimType?: string;
  readonly detail: string;
}

/** Returns the status of a refusal, by HTTP and in its body, and its type. */
export const faultOf = ({ status, body }: { status: number; body: unknown }) => {
  const { status: text, scimType } = body as Fault;
  return [status, text, scimType];
};

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** Expects a refusal, by HTTP and in its body, of this type. */
export async function expectFault(answer: Answer | Promise<Answer>, status: number, type?: string) {
  expect(faultOf(await answer)).toEqual([status, String(status), type]);
}

export interface Directory {
  readonly owner: TestPerson;
  readonly account: TestServiceAccount;
  readonly domain: string;
  /** Returns an address in the verified domain. */
  address(): string;
  scim<Body = Resource>(
    path: string,
    request?: Parameters<TestServiceAccount["call"]>[1],
  ): Promise<{ status: number; headers: Headers; body: Body }>;
  addUser(fields?: object): Promise<Resource>;
  /** Creates a group of users. */
  addGroup(members?: readonly Resource[], fields?: object): Promise<Resource>;
  patch<Body = Resource>(path: string, ...operations: object[]): Promise<{ status: number; body: Body }>;
}

/** Creates an organization with a verified domain, and a service account that writes its directory. */
export async function openDirectory(gateway: Gateway, founder?: TestPerson): Promise<Directory> {
  const owner = founder ?? (await signUp(gateway));
  const domain = `${randomUUID()}.example`;
  const { organization } = owner;
  await gateway.database.prisma.domain.create({
    data: {
      organizationId: organization.id,
      domain,
      token: "7Qm2".repeat(8),
      provenAt: NOW,
      checkedAt: NOW,
      createdAt: NOW,
    },
  });
  return joinDirectory(gateway, owner, domain);
}

/** Creates a service account that writes the directory of an owner's organization, which has verified `domain`. */
export async function joinDirectory(gateway: Gateway, owner: TestPerson, domain: string): Promise<Directory> {
  const account = await addServiceAccount(gateway, owner, { scopes: ["admin:members"] });
  const scim: Directory["scim"] = async (path, request) => {
    const { status, headers, body } = await account.call(`/scim/v2${path}`, request);
    return { status, headers, body: body as never };
  };
  const address = () => `${randomUUID()}@${domain}`;
  const add = async (path: string, json: object) => {
    const { status, body } = await scim(path, { json });
    if (status !== 201) throw new Error(`nothing at ${path}: ${JSON.stringify(body)}`);
    return body;
  };
  return {
    owner,
    account,
    domain,
    address,
    scim,
    addUser: (fields = {}) => add("/Users", { schemas: [USER], userName: address(), ...fields }),
    addGroup: (members = [], fields = {}) =>
      add("/Groups", {
        schemas: [GROUP],
        displayName: `Group ${randomUUID()}`,
        members: members.map(({ id }) => ({ value: id })),
        ...fields,
      }),
    patch: (path, ...operations) =>
      scim(path, { method: "PATCH", json: { schemas: [PATCH], Operations: operations } }),
  };
}
