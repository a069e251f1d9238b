import { readFile } from "node:fs/promises";
import {
  type GraphQLInputType,
  type GraphQLOutputType,
  getNamedType,
  isInputObjectType,
  isObjectType,
} from "graphql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROLE_SCOPES, ROLES } from "../../src/domain/people/roles.js";
import { createSchema } from "../../src/graphql/schema/schema.js";
import { requiredScopes } from "../../src/graphql/schema/scope-directive.js";
import { SCHEMA_FILE } from "../../src/paths.js";
import { type Mailing, startMailing } from "../access/mailed.js";
import { addMember, type TestCaller, type TestPerson } from "../support/people.js";
import { learnKeys } from "../support/secrets.js";
import { NOW, startGateway } from "../support/server.js";
import { addServiceAccount, type TestServiceAccount } from "../support/service-accounts.js";
import { draft, prepareVerification, step } from "../support/verification.js";

const schema = createSchema(await readFile(SCHEMA_FILE, "utf8"));
const mutations = Object.values(schema.getMutationType()?.getFields() ?? {});

const GRANTED = /^(?:\w*roles?|\w*Roles?|roleMap|scopes|types)$/;
const SECRET = /^(?:link|key|token|secret|verifierLink|webhookSecret)$/;
/** Types whose scopes are those of greenhouse gases. */
const OTHER_SCOPES = new Set(["EmissionScope"]);

/** Returns true if an input has a field that gives somebody a role, scopes or types of events. */
const grants = (type: GraphQLInputType, seen = new Set<string>()): boolean => {
  const named = getNamedType(type);
  if (!isInputObjectType(named) || seen.has(named.name)) return false;
  seen.add(named.name);
  return Object.values(named.getFields()).some(
    (field) =>
      (GRANTED.test(field.name) && !OTHER_SCOPES.has(getNamedType(field.type).name)) ||
      grants(field.type, seen),
  );
};

/** Returns true if a payload, or an object in it, has a field for a secret. */
const reveals = (type: GraphQLOutputType, depth = 2): boolean => {
  const named = getNamedType(type);
  // The link of a notification is a path of the console.
  if (depth === 0 || !isObjectType(named) || named.name === "Notification") return false;
  return Object.values(named.getFields()).some(
    (field) =>
      (SECRET.test(field.name) && /^(?:String|URL)$/.test(getNamedType(field.type).name)) ||
      reveals(field.type, depth - 1),
  );
};

const granting = mutations.filter(({ args, type }) => args.some((arg) => grants(arg.type)) || reveals(type));

const SECRETS = /(?:cgw_(?:inv|vfy|svc|live)_|whsec_)\w{20}/;
const GUEST = "guest@example.com";

let mailing: Mailing;
let owner: TestPerson;
let member: TestPerson;
let ids: Record<"apiKey" | "account" | "webhook" | "draft" | "submitted" | "group", string>;
beforeAll(async () => {
  mailing = await startMailing();
  const { gateway } = mailing;
  const prepared = await prepareVerification(gateway, "a pepper of this test");
  owner = prepared.owner;
  const { slug, id: organizationId } = owner.organization;
  member = await addMember(gateway, slug, "viewer", { pepper: "a pepper of this test" });
  const create = async (path: string, json: object) => {
    const { status, body } = await owner.call(path, { json });
    learnKeys(JSON.stringify(body));
    expect([path, status, body.error]).toEqual([path, 201, null]);
    // biome-ignore lint/suspicious/noExplicitAny: the endpoint's own test asserts the shape of its response
    return body.data as any;
  };
  const expires = new Date(NOW.getTime() + 86_400_000).toISOString();
  const scopes = ["read:emissions", "read:market"];
  const key = await create("/v1/api-keys", { name: "ERP", scopes, tier: "free", expires_at: expires });
  const account = await create("/v1/service-accounts", { name: "Other", role: "viewer" });
  const hook = { url: "https://93.184.215.14/hook", types: ["facility.updated"] };
  const webhook = await create("/v1/webhook-endpoints", hook);
  const group = await gateway.database.prisma.directoryGroup.create({
    data: { organizationId, displayName: "Staff", createdAt: NOW, updatedAt: NOW },
  });
  const drafted = await draft(owner, prepared.vera);
  const later = { period: { from: "2024-01-01", to: "2024-12-31" } };
  const submitted = await draft(owner, prepared.vera, later);
  expect((await step(owner, submitted.path, "submit")).status).toBe(200);
  ids = {
    apiKey: key.id,
    account: account.service_account.id,
    webhook: webhook.webhook_endpoint.id,
    group: group.id,
    draft: drafted.request.id,
    submitted: submitted.request.id,
  };
});
afterAll(() => mailing.stop());

/** For each mutation that grants something or returns a secret, an input that grants more than its own scope. */
const INPUTS: Readonly<Record<string, () => object>> = {
  inviteMember: () => ({ email: GUEST, role: "ADMIN" }),
  changeMemberRole: () => ({ userId: member.user.id, role: "ADMIN" }),
  createApiKey: () => ({
    name: "New",
    scopes: ["read:emissions"],
    tier: "FREE",
    expiresAt: "2026-11-22T00:00:00Z",
  }),
  rotateApiKey: () => ({ id: ids.apiKey }),
  updateApiKey: () => ({ id: ids.apiKey, scopes: ["read:credits"] }),
  createServiceAccount: () => ({ name: "New", role: "ADMIN", scopes: ["manage:keys"] }),
  rotateServiceAccount: () => ({ id: ids.account }),
  updateServiceAccount: () => ({ id: ids.account, role: "ADMIN" }),
  saveSingleSignOn: () => ({
    issuer: "https://id.example",
    clientId: "x",
    clientSecret: "y",
    defaultRole: "ADMIN",
  }),
  mapDirectoryGroup: () => ({ id: ids.group, role: "ADMIN" }),
  createWebhookEndpoint: () => ({ url: "https://93.184.215.14/other", types: ["facility.updated"] }),
  updateWebhookEndpoint: () => ({ id: ids.webhook, types: ["facility.*"] }),
  rotateWebhookSecret: () => ({ id: ids.webhook }),
  updateNotificationPreferences: () => ({ channels: { webhook: { url: "https://93.184.215.14/" } } }),
  submitVerification: () => ({ id: ids.draft }),
  createVerifierLink: () => ({ id: ids.submitted }),
};

const send = (caller: TestCaller, name: string, input: object) => {
  const [arg] = mutations.find((one) => one.name === name)?.args ?? [];
  const call = `${name}(${arg?.name}: $input)`;
  return caller.graphql(`mutation Grant($input: ${arg?.type}) { ${call} { __typename } }`, { input });
};

describe("a grant", () => {
  it("has a test of its bound", () => {
    const withSteps = granting.filter(({ name }) => !STEPS_WITHOUT_LINK.has(name));
    expect(withSteps.map(({ name }) => name).toSorted()).toEqual(Object.keys(INPUTS).toSorted());
  });

  it.each(Object.keys(INPUTS))(
    "is refused to a service account that lacks what it grants: %s",
    async (name) => {
      const field = mutations.find((one) => one.name === name);
      if (!field) throw new Error(`no mutation ${name}`);
      const own = requiredScopes(schema, field).flat(2);
      const scopes = own.filter((scope) => (ROLE_SCOPES.admin as readonly string[]).includes(scope));
      const weak = await addServiceAccount(mailing.gateway, owner, {
        scopes: scopes.length > 0 ? [...scopes] : ["manage:members"],
      });
      const { body } = await send(weak, name, INPUTS[name]?.() ?? {});
      const codes = body.errors?.map(({ extensions }) => extensions.code);
      expect([name, codes]).toEqual([name, [expect.stringMatching(/^(?:FORBIDDEN|VALIDATION_FAILED)$/)]]);
      if (codes?.[0] === "VALIDATION_FAILED")
        expect(body.errors?.[0]?.message).toMatch(/that the service account has|that you may read/);
      expect(JSON.stringify(body)).not.toMatch(SECRETS);
    },
  );

  it("of a role is refused at every step above the service account's own scopes", async () => {
    const reader = await addServiceAccount(mailing.gateway, owner, {
      scopes: ["manage:members", ...ROLE_SCOPES.viewer],
    });
    for (const role of ROLES) {
      const path = `/v1/members/${member.user.id}`;
      const { status } = await reader.call(path, { method: "PATCH", json: { role } });
      const invited = await reader.call("/v1/invitations", { json: { email: `${role}@example.com`, role } });
      expect([role, status, invited.status]).toEqual(role === "viewer" ? [role, 200, 201] : [role, 403, 403]);
    }
    const admin = await addServiceAccount(mailing.gateway, owner, { scopes: [...ROLE_SCOPES.admin] });
    const promote = { method: "PATCH", json: { role: "owner" } };
    expect((await admin.call(`/v1/members/${member.user.id}`, promote)).status).toBe(403);
  });
});

describe("a service account's link", () => {
  let account: TestServiceAccount;
  beforeAll(async () => {
    account = await addServiceAccount(mailing.gateway, owner, { scopes: [...ROLE_SCOPES.admin] });
  });

  it("to an invitation is in the e-mail alone", async () => {
    const { gateway } = mailing;
    const email = "colleague@example.com";
    const request = {
      json: { email, role: "admin" },
      headers: { "Idempotency-Key": "an-invitation-of-grants" },
    };
    const answers = [
      await account.call("/v1/invitations", request),
      await account.call("/v1/invitations", request),
    ];
    for (const { status, body } of answers) {
      expect([status, body.data]).toMatchObject([201, { link: "https://carbon.example.com/console/" }]);
    }
    const again = { email: "second@example.com", role: "EDITOR" };
    const graph = await account.graphql(
      "mutation Invite($input: InviteMemberInput!) { inviteMember(input: $input) { link invitation { id } } }",
      { input: again },
    );
    const seen = [
      ...answers.map(({ body }) => body),
      graph.body,
      (await account.call("/v1/invitations")).body,
      (await account.call("/v1/audit/log")).body,
      (await account.call("/v1/events")).body,
    ];
    expect(JSON.stringify(seen)).not.toMatch(SECRETS);
    expect(graph.body.errors).toBeUndefined();
    const stored = await gateway.database.select<{ text: string }>(
      "SELECT i::text AS text FROM idempotency_keys AS i",
      [],
    );
    expect(JSON.stringify(stored)).not.toMatch(SECRETS);

    const token = await mailing.token(email, "You have been invited to Carbon Gateway");
    const guest = await mailing.signUp({ email });
    await owner.call(`/v1/service-accounts/${account.id}`, {
      method: "PATCH",
      json: { scopes: ["manage:members"] },
    });
    const accept = () => guest.call("/v1/invitations/accept", { json: { invitation: token } });
    // An invitation ends as soon as its creator could no longer send it.
    expect((await accept()).status).toBe(404);
    const scopes = [...ROLE_SCOPES.admin];
    await owner.call(`/v1/service-accounts/${account.id}`, { method: "PATCH", json: { scopes } });
    expect((await accept()).status).toBe(200);
  });

  it("for a verifier is in the e-mail alone, and only a person confirms the verifier", async () => {
    const { id } = owner.organization;
    const where = { organizationId: id, id: ids.submitted };
    const { status, body } = await account.call(`/v1/verification/requests/${ids.submitted}/verifier-link`, {
      json: {},
    });
    expect([status, body.data]).toMatchObject([200, { verifier_link: null }]);
    expect(JSON.stringify(body)).not.toMatch(SECRETS);
    const { verifierEmail } = await mailing.gateway.database.prisma.verificationRequest.findFirstOrThrow({
      where,
    });
    await mailing.settled();
    expect(mailing.mailsTo(verifierEmail).join("")).toContain("#verify=cgw_vfy_");
    const confirm = await account.call(`/v1/verification/requests/${ids.submitted}/verifier/confirm`, {
      json: {},
    });
    expect(confirm.status).toBe(403);
  });

  it("is not created by a gateway that sends no e-mails", async () => {
    const gateway = await startGateway();
    try {
      const { ada, owner: founder, vera } = await prepareVerification(gateway);
      const machine = await addServiceAccount(gateway, founder, { scopes: [...ROLE_SCOPES.admin] });
      const refused = { code: "OPERATOR_REQUIRED", details: [{ path: "SMTP_URL" }] };
      const invited = await machine.call("/v1/invitations", { json: { email: GUEST, role: "viewer" } });
      expect([invited.status, invited.body.error]).toMatchObject([409, refused]);
      const { path } = await draft(ada, vera);
      const submitted = await machine.call(`${path}/submit`, { json: {} });
      expect([submitted.status, submitted.body.error]).toMatchObject([409, refused]);
      expect((await machine.call("/v1/invitations")).body.data).toMatchObject({ items: [] });
      expect((await step(ada, path, "submit")).status).toBe(200);
    } finally {
      await gateway.stop();
    }
  });
});

/** Steps that return a request, whose link only other steps create. */
const STEPS_WITHOUT_LINK: ReadonlySet<string> = new Set([
  "requestVerification",
  "resubmitVerification",
  "withdrawVerification",
  "reopenVerification",
  "confirmVerifier",
  "rejectVerifier",
  "startVerification",
  "requestVerificationChanges",
  "decideVerification",
]);
