import { readFile } from "node:fs/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ROLE_SCOPES } from "../../src/domain/people/roles.js";
import { createSchema } from "../../src/graphql/schema/schema.js";
import { requiredScopes } from "../../src/graphql/schema/scope-directive.js";
import { SCHEMA_FILE } from "../../src/paths.js";
import { readAuditTrail } from "../support/audit.js";
import { mutationsOf } from "../support/mutations.js";
import { addMember, signUp, type TestPerson } from "../support/people.js";
import { type Gateway, makeKey, NOW, startGateway } from "../support/server.js";

const schema = createSchema(await readFile(SCHEMA_FILE, "utf8"));
const mutations = mutationsOf(schema);
const scopesOf = (name: string) => {
  const field = schema.getMutationType()?.getFields()[name];
  return field ? requiredScopes(schema, field) : [];
};

let gateway: Gateway;
let owner: TestPerson;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());
beforeEach(async () => {
  owner = await signUp(gateway);
});

describe("the viewer", () => {
  const VIEWER = `{ viewer {
    user { id email name } organization { slug } role scopes organizations { organization { slug } role }
    session { id kind isCurrent } sessions { totalCount nodes { id isCurrent } }
  } }`;

  it("is the signed-in user", async () => {
    const { user, organization, session } = owner;
    const { body } = await owner.graphql(VIEWER);
    const { slug } = organization;
    expect(body).toEqual({
      data: {
        viewer: {
          user,
          organization: { slug },
          role: "OWNER",
          scopes: ROLE_SCOPES.owner,
          organizations: [{ organization: { slug }, role: "OWNER" }],
          session: { id: session.id, kind: "TOKEN", isCurrent: true },
          sessions: { totalCount: 1, nodes: [{ id: session.id, isCurrent: true }] },
        },
      },
    });
  });

  it("has scopes and a latest record only in the active organization", async () => {
    const { prisma } = gateway.database;
    const other = await signUp(gateway);
    await prisma.membership.create({
      data: { userId: owner.user.id, organizationId: other.organization.id, role: "viewer" },
    });
    const json = { recorded_on: "2026-11-02", scope: "scope_1", co2e_tonnes: 1 };
    expect((await owner.call("/v1/emissions/records", { json })).status).toBe(201);
    const { body } = await owner.graphql(
      "{ viewer { organizations { organization { slug callerScopes latestRecord } } } }",
    );
    const found = body.data.viewer.organizations.map(
      ({ organization }: { organization: object }) => organization,
    );
    expect(found).toHaveLength(2);
    expect(found).toEqual(
      expect.arrayContaining([
        { slug: owner.organization.slug, callerScopes: ROLE_SCOPES.owner, latestRecord: "2026-11-02" },
        { slug: other.organization.slug, callerScopes: [], latestRecord: null },
      ]),
    );
  });

  it("is null for an API key, which cannot see members either", async () => {
    const { key } = await makeKey(gateway.database, owner.organization.slug);
    const { body } = await gateway.graphql("{ viewer { role } members { totalCount } }", key);
    expect(body).toMatchObject({
      data: { viewer: null, members: null },
      errors: [{ path: ["members"], extensions: { code: "UNAUTHENTICATED" } }],
    });
    expect(body.errors).toHaveLength(1);
  });

  it("can change their own name, which is visible at once and not audited", async () => {
    const rename = (name: string) =>
      owner.graphql("mutation($name: String!) { renameViewer(input: { name: $name }) { user { name } } }", {
        name,
      });
    expect((await rename("  Augusta Ada ")).body).toEqual({
      data: { renameViewer: { user: { name: "Augusta Ada" } } },
    });
    expect((await owner.graphql("{ viewer { user { name } } }")).body.data.viewer.user.name).toBe(
      "Augusta Ada",
    );
    for (const name of [" ", "a\u0000b", "a\nb", "\u001b[31mred", "x".repeat(201)]) {
      const { body } = await rename(name);
      expect([name, body.errors?.[0]?.extensions]).toEqual([
        name,
        { code: "VALIDATION_FAILED", details: [{ path: "input.name", message: expect.any(String) }] },
      ]);
    }
    const entries = JSON.stringify(await readAuditTrail(gateway.database, null));
    expect(entries).not.toContain("Augusta");
  });
});

describe("the organization", () => {
  it("can be renamed by an owner", async () => {
    const { body } = await owner.graphql(
      'mutation { renameOrganization(input: { name: "New Ltd" }) { organization { slug name } } }',
    );
    const { slug, id } = owner.organization;
    expect(body).toEqual({ data: { renameOrganization: { organization: { slug, name: "New Ltd" } } } });
    expect((await owner.graphql("{ organization { name } }")).body.data.organization.name).toBe("New Ltd");
    expect((await readAuditTrail(gateway.database, id)).at(-1)).toMatchObject({
      action: "organization.updated",
      actor: { type: "user", id: owner.user.id },
      changes: { name: { from: "Acme", to: "New Ltd" } },
    });
  });
});

describe("inviting, changing and removing members, and renaming the organization", () => {
  afterEach(() => gateway.setNow(NOW));

  it("needs a password of the last 10 minutes; leaving and revoking do not", async () => {
    const { slug } = owner.organization;
    const second = await addMember(gateway, slug, "owner");
    const { user } = await addMember(gateway, slug, "viewer");
    const invite =
      "mutation Invite($email: String!) { inviteMember(input: { email: $email, role: VIEWER }) { invitation { id } } }";
    const invited = await owner.graphql(invite, { email: "first@example.org" });
    const { id } = invited.body.data.inviteMember.invitation;
    gateway.setNow(new Date(NOW.getTime() + 10 * 60_000 + 1));
    const code = async (query: string, variables?: object) => {
      const { body } = await owner.graphql(query, variables);
      return body.errors?.[0]?.extensions.code;
    };
    const refused = [
      await code(invite, { email: "second@example.org" }),
      await code(
        `mutation { changeMemberRole(input: { userId: "${user.id}", role: ADMIN }) { member { role } } }`,
      ),
      await code(`mutation { removeMember(input: { userId: "${user.id}" }) { member { role } } }`),
      await code('mutation { renameOrganization(input: { name: "Stolen" }) { organization { name } } }'),
    ];
    expect(refused).toEqual(refused.map(() => "REAUTHENTICATION_REQUIRED"));
    expect(
      await code(`mutation { revokeInvitation(input: { id: "${id}" }) { invitation { id } } }`),
    ).toBeUndefined();
    expect(
      await code(`mutation { removeMember(input: { userId: "${owner.user.id}" }) { member { role } } }`),
    ).toBeUndefined();
    const { body } = await second.graphql(
      "{ organization { name } members { totalCount } invitations { totalCount } }",
    );
    expect(body.data).toEqual({
      organization: { name: "Acme" },
      members: { totalCount: 2 },
      invitations: { totalCount: 0 },
    });
  });
});

describe("members and invitations", () => {
  it("name the scope that a role lacks", async () => {
    const viewer = await addMember(gateway, owner.organization.slug, "viewer");
    const { body } = await viewer.graphql("{ members { totalCount } invitations { totalCount } }");
    expect(body).toMatchObject({
      data: { members: { totalCount: 2 }, invitations: null },
      errors: [
        {
          message: "The role viewer lacks the scope manage:members.",
          path: ["invitations"],
          extensions: { code: "FORBIDDEN", requiredScopes: [["manage:members"]] },
        },
      ],
    });
  });
});

describe("a mutation", () => {
  it("needs a scope, unless it changes only what is the user's own", () => {
    const open = mutations.filter(([name]) => scopesOf(name).length === 0).map(([name]) => name);
    // Removing a member other than oneself needs a scope too: see test/rest/people.test.ts.
    expect(open).toEqual([
      "acceptInvitation",
      "removeMember",
      "endSession",
      "renameViewer",
      "updateNotificationPreferences",
      "readNotification",
      "readAllNotifications",
      "chat",
      "deleteConversation",
      "acceptVerification",
      "dismissAnnouncement",
    ]);
  });
});
