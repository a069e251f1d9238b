import { describe, expect, it } from "vitest";
import { connect, send, settingsOf, signInBy } from "../access/sso.js";
import { addMember, signIn, signUp, type TestPerson } from "../support/people.js";
import { startProvider } from "../support/provider.js";
import { type Envelope, NOW, startGateway } from "../support/server.js";
import { use } from "../support/use.js";
import { type Directory, joinDirectory, openDirectory, type Resource } from "./directory.js";

interface Group {
  readonly id: string;
  readonly role: string | null;
  readonly member_count: number;
  readonly version: number;
}

const provider = use(startProvider);
const gateway = use(() => startGateway({ env: { OIDC_ALLOW_NETWORKS: "127.0.0.0/8" } }));
const other = use(() => startGateway({ database: gateway.database }));

const map = (person: TestPerson, { id }: Pick<Resource, "id">, json: object, headers = {}) =>
  person.call<Envelope & { data: Group }>(`/v1/directory/groups/${id}`, { method: "PUT", json, headers });

const changeRole = (person: TestPerson, { id }: Pick<Resource, "id">, role: string) =>
  person.call<Envelope>(`/v1/members/${id}`, { method: "PATCH", json: { role } });

const roleOf = async ({ owner }: Directory, { id: userId }: Pick<Resource, "id">) =>
  (
    await gateway.database.prisma.membership.findUniqueOrThrow({
      where: { organizationId_userId: { organizationId: owner.organization.id, userId } },
    })
  ).role;

describe("PUT /v1/directory/groups/{id}", () => {
  it("gives a group a role, which the list shows, only for owners", async () => {
    const directory = await openDirectory(gateway);
    const { owner } = directory;
    const group = await directory.addGroup([await directory.addUser()], { displayName: "Bees" });
    const unmapped = await directory.addGroup([], { displayName: "Ants", externalId: "a-1" });
    const { status, headers, body } = await map(owner, group, { role: "editor" });
    const expected = {
      id: group.id,
      display_name: "Bees",
      external_id: null,
      role: "editor",
      member_count: 1,
      version: 2,
    };
    expect([status, headers.get("etag"), body.data]).toEqual([200, '"2"', expected]);
    const list = await owner.call<Envelope>("/v1/directory/groups");
    expect(list.body.data).toEqual({
      items: [
        {
          id: unmapped.id,
          display_name: "Ants",
          external_id: "a-1",
          role: null,
          member_count: 0,
          version: 1,
        },
        expected,
      ],
      next_cursor: null,
    });
    const graph = await owner.graphql(
      "{ directoryGroups { totalCount nodes { displayName role memberCount } } }",
    );
    expect(graph.body.data?.["directoryGroups"]).toEqual({
      totalCount: 2,
      nodes: [
        { displayName: "Ants", role: null, memberCount: 0 },
        { displayName: "Bees", role: "EDITOR", memberCount: 1 },
      ],
    });
    const admin = await addMember(gateway, owner.organization.slug, "admin");
    expect((await map(admin, group, { role: "viewer" })).status).toBe(403);
    expect((await admin.call("/v1/directory/groups")).status).toBe(403);
    const stranger = await signUp(gateway);
    expect((await map(stranger, group, { role: "viewer" })).status).toBe(404);
    const late = await signIn(gateway, owner.user, owner.organization, {
      now: new Date(NOW.getTime() - 11 * 60_000),
    });
    const refused = await map(late, group, { role: "viewer" });
    expect([refused.status, refused.body.error?.code]).toEqual([403, "REAUTHENTICATION_REQUIRED"]);
    for (const json of [{ role: "owner" }, {}, { role: "root" }, { role: 7 }])
      expect((await map(owner, group, json)).status).toBe(422);
    expect((await map(owner, group, { role: null }, { "If-Match": '"1"' })).status).toBe(409);
    const same = await map(owner, group, { role: "editor" });
    expect(same.body.data.version).toBe(2);
    const entries = await gateway.database.prisma.auditEntry.findMany({
      where: { organizationId: owner.organization.id, targetId: group.id },
      orderBy: { seq: "asc" },
    });
    expect(entries.map(({ action }) => action)).toEqual([
      "directory_group.created",
      "directory_group.mapped",
    ]);
  });
});

describe("a role assigned by groups", () => {
  it("is the highest of a user's groups, else viewer, and never owner", async () => {
    const directory = await openDirectory(gateway);
    const { owner } = directory;
    const [ada, grace] = [await directory.addUser(), await directory.addUser()];
    const boss = await addMember(gateway, owner.organization.slug, "owner", { email: directory.address() });
    const guest = await addMember(gateway, owner.organization.slug, "editor");
    const editors = await directory.addGroup([ada, { ...ada, id: boss.user.id }]);
    const admins = await directory.addGroup([ada]);
    expect((await changeRole(owner, grace, "admin")).status).toBe(200);
    await map(owner, editors, { role: "editor" });
    const roles = async () => [
      await roleOf(directory, ada),
      await roleOf(directory, grace),
      await roleOf(directory, boss.user),
      await roleOf(directory, guest.user),
    ];
    expect(await roles()).toEqual(["editor", "viewer", "owner", "editor"]);
    await map(owner, admins, { role: "admin" });
    expect(await roles()).toEqual(["admin", "viewer", "owner", "editor"]);
    await directory.patch(`/Groups/${admins.id}`, {
      op: "replace",
      path: "members",
      value: [{ value: grace.id }],
    });
    expect(await roles()).toEqual(["editor", "admin", "owner", "editor"]);
    await directory.scim(`/Groups/${admins.id}`, { method: "DELETE" });
    expect(await roles()).toEqual(["editor", "viewer", "owner", "editor"]);
    await map(owner, editors, { role: null });
    expect(await roles()).toEqual(["viewer", "viewer", "owner", "editor"]);
  });

  it("cannot be changed by hand while a group has a role, except to make an owner", async () => {
    const directory = await openDirectory(gateway);
    const { owner } = directory;
    const ada = await directory.addUser();
    const guest = await addMember(gateway, owner.organization.slug, "editor");
    const group = await directory.addGroup([ada]);
    expect((await changeRole(owner, ada, "admin")).status).toBe(200);
    await map(owner, group, { role: "editor" });
    const refused = await changeRole(owner, ada, "viewer");
    expect(refused.status).toBe(409);
    expect(refused.body.error?.code).toBe("CONFLICT");
    expect(refused.body.error?.message).toEqual(expect.stringContaining("the role editor"));
    expect((await changeRole(owner, ada, "editor")).status).toBe(200);
    expect((await changeRole(owner, guest.user, "viewer")).status).toBe(200);
    expect((await changeRole(owner, ada, "owner")).status).toBe(200);
    expect((await changeRole(owner, ada, "admin")).status).toBe(409);
    expect((await changeRole(owner, ada, "editor")).status).toBe(200);
    await directory.scim(`/Groups/${group.id}`, { method: "DELETE" });
    expect(await roleOf(directory, ada)).toBe("viewer");
    expect((await changeRole(owner, ada, "admin")).status).toBe(200);
  });

  it("applies to sessions on every process", async () => {
    const directory = await openDirectory(gateway);
    const email = directory.address();
    const person = await signUp(gateway, { email });
    const ada = await directory.addUser({ userName: email });
    const group = await directory.addGroup([ada]);
    const session = await signIn(gateway, person.user, directory.owner.organization);
    const elsewhere = await signIn(other, person.user, directory.owner.organization);
    const roles = async () =>
      (await Promise.all([session, elsewhere].map((one) => one.call<Envelope>("/v1/auth/me")))).map(
        ({ body }) => (body.data as { role: string }).role,
      );
    expect(await roles()).toEqual(["viewer", "viewer"]);
    await map(directory.owner, group, { role: "admin" });
    await expect.poll(roles).toEqual(["admin", "admin"]);
    await directory.patch(`/Groups/${group.id}`, { op: "remove", path: `members[value eq "${ada.id}"]` });
    await expect.poll(roles).toEqual(["viewer", "viewer"]);
  });
});

describe("a sign-in by a provider", () => {
  it("takes the role from groups while one has a role, else from the claims", async () => {
    const more = { role_claim: "groups", role_map: { boss: "admin" }, default_role: "editor" };
    const { owner, domain, ...own } = await connect(gateway, provider, more);
    const directory = await joinDirectory(gateway, owner, domain);
    const ada = await directory.addUser({ userName: `ada@${domain}` });
    const enter = (sub: string, email: string) =>
      signInBy(gateway, own, provider, { sub, email, groups: ["boss"] });
    await enter("ada", ada.userName);
    expect(await roleOf(directory, ada)).toBe("admin");
    const group = await directory.addGroup([ada]);
    await map(owner, group, { role: "viewer" });
    expect(await roleOf(directory, ada)).toBe("viewer");
    await enter("ada", ada.userName);
    expect(await roleOf(directory, ada)).toBe("viewer");
    await directory.patch(`/Groups/${group.id}`, { op: "remove", path: "members" });
    expect(await roleOf(directory, ada)).toBe("editor");
    const guest = await addMember(gateway, owner.organization.slug, "viewer", { email: `guest@${domain}` });
    await enter("guest", guest.user.email);
    expect(await roleOf(directory, guest.user)).toBe("editor");
    await send(owner, "PUT", "/v1/sso", settingsOf(provider, { ...more, default_role: "viewer" }));
    expect(await roleOf(directory, ada)).toBe("viewer");
  });
});
