import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { list } from "../support/list.js";
import { addMember, signIn, signUp } from "../support/people.js";
import { NOW, startGateway } from "../support/server.js";
import { addServiceAccount, withBearer } from "../support/service-accounts.js";
import { use, useGateway } from "../support/use.js";
import {
  type Directory,
  expectFault,
  type Fault,
  faultOf,
  GROUP,
  type List,
  openDirectory,
  type Resource,
  USER,
} from "./directory.js";

const gateway = useGateway();
const other = useGateway(() => ({ database: gateway.database }));
const directory = use(() => openDirectory(gateway));

const filtered = async (filter: string) =>
  directory.scim<List>(`/Users?filter=${encodeURIComponent(filter)}`);

describe("/scim/v2", () => {
  it("accepts only bearers of service accounts with admin:members, and refuses in SCIM's form", async () => {
    const { owner } = directory;
    const admin = await addServiceAccount(gateway, owner);
    const call = (caller: { call: Directory["account"]["call"] }) => caller.call("/scim/v2/Users");
    const nobody = await gateway.call("/scim/v2/Users");
    expect(nobody.status).toBe(401);
    expect(nobody.headers.get("www-authenticate")).toMatch(/^Bearer/);
    expect(nobody.headers.get("content-type")).toBe("application/scim+json; charset=utf-8");
    expect(nobody.body).toEqual({
      schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"],
      status: "401",
      detail: expect.stringContaining("Bearer"),
    });
    await expectFault(call(owner), 401);
    await expectFault(call(admin), 403);
    const read = await directory.account.call("/v1/emissions/records");
    expect(read.status).toBe(403);
  });

  it("refuses objects in place of strings", async () => {
    const { id } = await directory.addUser();
    const text = { toString: 1 };
    const patched = (operation: object) => directory.patch(`/Users/${id}`, operation);
    const searched = (json: object) => directory.scim("/Users/.search", { json });
    const operation = { op: "replace", path: "active", value: true };
    await expectFault(patched({ ...operation, op: text }), 400, "invalidSyntax");
    await expectFault(patched({ ...operation, value: text }), 400, "invalidValue");
    await expectFault(searched({ count: text }), 400, "invalidValue");
    expect((await searched({ attributes: [text] })).status).toBe(200);
    const emails = [{ value: directory.address(), primary: text, type: text }];
    expect((await patched({ ...operation, path: "emails", value: emails })).status).toBe(200);
  });

  it("must be enabled by an owner by name, after a domain is verified", async () => {
    const owner = await signUp(gateway);
    const { organization } = owner;
    const admin = await addMember(gateway, organization.slug, "admin");
    const wanted = { name: "Directory", role: "admin", scopes: ["admin:members"] };
    expect((await admin.call("/v1/service-accounts", { json: wanted })).status).toBe(403);
    const account = await addServiceAccount(gateway, owner, { scopes: ["admin:members"] });
    const { status, body } = await account.call("/scim/v2/Users");
    expect(status).toBe(403);
    expect((body as unknown as Fault).detail).toBe(
      "The organization has no proven domain. Add one with POST /v1/domains.",
    );
    const rotated = await admin.call(`/v1/service-accounts/${account.id}/rotate`, { json: {} });
    expect(rotated.status).toBe(403);
  });

  it("has its own budget", async () => {
    const limited = await startGateway({
      database: gateway.database,
      env: { SCIM_REQUESTS_PER_HOUR: "2" },
    });
    const { account } = await openDirectory(gateway);
    const call = () => withBearer(limited, account.token).call("/scim/v2/Users");
    await call();
    const last = await call();
    expect([last.status, last.headers.get("ratelimit-policy")]).toEqual([200, '"scim";q=2;w=3600']);
    const refused = await call();
    expect([...faultOf(refused), refused.headers.has("retry-after")]).toEqual([429, "429", undefined, true]);
    await limited.stop();
  });
});

describe("POST /scim/v2/Users", () => {
  it("creates a member with a confirmed address and without a password", async () => {
    const userName = directory.address();
    const { status, headers, body } = await directory.scim("/Users", {
      headers: { "Content-Type": "application/scim+json" },
      json: {
        schemas: [USER, "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"],
        userName,
        externalId: "e-1",
        password: "never kept, never logged",
        name: { givenName: "Ada", familyName: "Lovelace" },
        title: "Countess",
        emails: [{ value: userName, type: "work" }],
        "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User": { department: "Analysis" },
        unknown: true,
      },
    });
    const location = `${body.meta.location}`;
    expect(body).toEqual({
      schemas: [USER],
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      externalId: "e-1",
      userName,
      name: { formatted: "Ada Lovelace", givenName: "Ada", familyName: "Lovelace" },
      displayName: "Ada Lovelace",
      active: true,
      emails: [{ value: userName, type: "work", primary: true }],
      groups: [],
      meta: {
        resourceType: "User",
        created: NOW.toISOString(),
        lastModified: NOW.toISOString(),
        location: expect.stringContaining(`/scim/v2/Users/${body.id}`),
        version: 'W/"1"',
      },
    });
    expect([status, headers.get("location"), headers.get("etag")]).toEqual([201, location, 'W/"1"']);
    const { prisma } = gateway.database;
    const user = await prisma.user.findUniqueOrThrow({
      where: { id: body.id },
      include: { memberships: true },
    });
    expect(user.passwordHash).toBe(null);
    expect(user.emailConfirmedAt).toEqual(NOW);
    expect(user.memberships.map(({ role }) => role)).toEqual(["viewer"]);
    const entries = await prisma.auditEntry.findMany({
      where: { organizationId: directory.owner.organization.id, targetId: body.id },
      orderBy: { seq: "asc" },
    });
    expect(entries.map(({ action }) => action)).toEqual(["account.provisioned", "directory_user.created"]);
    expect(JSON.stringify(entries.map(({ entry }) => entry))).not.toContain("Lovelace");
  });

  it("refuses a member's userName or address, and addresses outside verified domains", async () => {
    const { userName } = await directory.addUser();
    const post = async (json: object) => faultOf(await directory.scim("/Users", { json }));
    const uniqueness = [409, "409", "uniqueness"];
    expect(await post({ userName: userName.toUpperCase() })).toEqual(uniqueness);
    expect(await post({ userName: "ada", emails: [{ value: userName, primary: true }] })).toEqual(uniqueness);
    const invalid = [400, "400", "invalidValue"];
    for (const userName of [
      `${randomUUID()}@other.example`,
      directory.owner.user.email,
      `ada@sub.${directory.domain}`,
      "ada",
    ]) {
      expect(await post({ userName })).toEqual(invalid);
    }
    expect(await post({ displayName: "Nobody" })).toEqual(invalid);
    expect(faultOf(await directory.scim("/Users", { method: "POST", body: "{" }))[0]).toBe(415);
    expect(await post([])).toEqual([400, "400", "invalidSyntax"]);
  });

  it("makes an existing account with a confirmed address a member, and keeps its password", async () => {
    const email = directory.address();
    const person = await signUp(gateway, { email, password: "a long enough passphrase" });
    const { id } = await directory.addUser({ userName: email, displayName: "Grace" });
    expect(id).toBe(person.user.id);
    const user = await gateway.database.prisma.user.findUniqueOrThrow({ where: { id } });
    expect(user.passwordHash).not.toBeNull();
    expect((await person.call("/v1/auth/me")).status).toBe(200);
  });

  it("takes over an account with an unconfirmed address", async () => {
    const email = directory.address();
    const squatter = await signUp(gateway, { email, password: "a long enough passphrase" });
    const { prisma } = gateway.database;
    await prisma.user.update({ where: { id: squatter.user.id }, data: { emailConfirmedAt: null } });
    const { id } = await directory.addUser({ userName: email });
    expect(id).toBe(squatter.user.id);
    const user = await prisma.user.findUniqueOrThrow({ where: { id } });
    expect([user.passwordHash, user.emailConfirmedAt, user.disabledAt]).toEqual([null, NOW, null]);
    expect((await squatter.call("/v1/auth/me")).status).toBe(401);
  });
});

describe("GET /scim/v2/Users", () => {
  it("compares by equality, in any case, and refuses every other filter", async () => {
    const user = await directory.addUser({ externalId: "Ext-7", displayName: "Zoë Filter" });
    const idsOf = async (filter: string) => (await filtered(filter)).body.Resources.map(({ id }) => id);
    for (const filter of [
      `userName eq "${user.userName.toUpperCase()}"`,
      `USERNAME EQ "${user.userName}"`,
      'externalId eq "Ext-7"',
      `id eq "${user.id}"`,
      `emails.value eq "${user.userName}"`,
      `emails[type eq "work"].value eq "${user.userName}"`,
      'displayName eq "zoë filter" and active eq true',
      `${USER}:userName eq "${user.userName}"`,
    ]) {
      expect([filter, await idsOf(filter)]).toEqual([filter, [user.id]]);
    }
    expect(await idsOf('externalId eq "ext-7"')).toEqual([]);
    expect(await idsOf(`userName eq "${user.userName}" and active eq false`)).toEqual([]);
    for (const filter of [
      `userName sw "a"`,
      `userName ne "a"`,
      `userName pr`,
      `not (active eq true)`,
      `userName eq "a" or active eq true`,
      `(userName eq "a")`,
      `nonsense eq "a"`,
      `title eq "a"`,
      `userName eq`,
      `userName eq "a`,
      `userName eq true`,
      `active eq "maybe"`,
      "",
    ]) {
      expect([filter, ...faultOf(await filtered(filter))]).toEqual([filter, 400, "400", "invalidFilter"]);
    }
  });

  it("pages by creation and id, and counts all", async () => {
    const own = await openDirectory(gateway);
    const users: Resource[] = [];
    for (let n = 0; n < 3; n += 1) users.push(await own.addUser());
    const guest = await addMember(gateway, own.owner.organization.slug, "editor");
    const all = (await own.scim<List>("/Users")).body;
    expect(all.Resources.map(({ id }) => id).toSorted()).toEqual(users.map(({ id }) => id).toSorted());
    expect((await own.scim(`/Users/${guest.user.id}`)).status).toBe(404);
    const page = async (query: string) => {
      const { totalResults, startIndex, itemsPerPage, Resources } = (await own.scim<List>(`/Users?${query}`))
        .body;
      expect(Resources.length).toBe(itemsPerPage);
      return [totalResults, startIndex, ...Resources.map(({ id }) => id)];
    };
    const ids = all.Resources.map(({ id }) => id);
    expect(await page("startIndex=0&count=2")).toEqual([3, 1, ...ids.slice(0, 2)]);
    expect(await page("startIndex=3&count=900")).toEqual([3, 3, ids[2]]);
    expect(await page("startIndex=9")).toEqual([3, 9]);
    expect(await page("count=0")).toEqual([3, 1]);
    expect(await page("count=-1")).toEqual([3, 1]);
    await expectFault(own.scim("/Users?count=many"), 400, "invalidValue");
    const { body } = await own.scim<List>("/Users/.search", {
      json: { filter: `id eq "${ids[1]}"`, attributes: ["userName", "name.formatted"], count: 5 },
    });
    expect(body.Resources).toEqual([
      { schemas: [USER], id: ids[1], userName: expect.any(String), name: { formatted: expect.any(String) } },
    ]);
    const excluded = await own.scim(`/Users/${ids[0]}?excludedAttributes=emails,meta,id`);
    expect(Object.keys(excluded.body)).toEqual(list("schemas id userName name displayName active groups"));
  });
});

describe("the version of a user", () => {
  it("changes after anyone changed the account", async () => {
    const email = directory.address();
    const person = await signUp(gateway, { email });
    await directory.addUser({ userName: email });
    const guest = await addMember(gateway, directory.owner.organization.slug, "viewer", {
      email: directory.address(),
    });
    for (const someone of [person, guest]) {
      const path = `/Users/${someone.user.id}`;
      const { meta } = (await directory.scim(path)).body;
      const read = () => directory.scim(path, { headers: { "If-None-Match": meta.version } });
      expect((await read()).status).toBe(304);
      await someone.graphql('mutation { renameViewer(input: { name: "Somebody Else" }) { user { name } } }');
      const { status, body } = await read();
      expect([status, body.displayName]).toEqual([200, "Somebody Else"]);
    }
    const { body } = await directory.scim(`/Users/${person.user.id}`);
    expect(body.meta.version).toBe('W/"2"');
    const disable = { where: { id: person.user.id }, data: { disabledAt: NOW } };
    await gateway.database.prisma.user.update(disable);
    expect((await directory.scim(`/Users/${person.user.id}`)).body.meta.version).toBe('W/"3"');
  });
});

describe("groups of users", () => {
  it("are limited to 1,000 per user, and 2,000 per page", async () => {
    const own = await openDirectory(gateway);
    const { id: organizationId } = own.owner.organization;
    for (let n = 0; n < 3; n += 1) await own.addUser();
    await gateway.database.prisma.$executeRaw`
      WITH named AS (INSERT INTO directory_groups (organization_id, display_name, created_at, updated_at)
        SELECT ${organizationId}::uuid, 'Group ' || n, now(), now() FROM generate_series(1, 1000) AS n RETURNING id)
      INSERT INTO directory_members (organization_id, group_id, user_id)
      SELECT organization_id, g.id, user_id FROM directory_users, named AS g WHERE organization_id = ${organizationId}::uuid`;
    const { body } = await own.scim<List>("/Users");
    expect(body.totalResults).toBe(3);
    expect(body.Resources.map(({ groups }) => groups.length)).toEqual([1_000, 1_000]);
    const json = { schemas: [GROUP], displayName: "One more", members: [{ value: body.Resources[0]?.id }] };
    await expectFault(own.scim("/Groups", { json }), 400, "invalidValue");
  });
});

describe("PATCH /scim/v2/Users/{id}", () => {
  it("takes over a member's unconfirmed account when it changes the address", async () => {
    const { slug } = directory.owner.organization;
    const email = directory.address();
    const member = await addMember(gateway, slug, "viewer", { email, password: "correct horse battery" });
    const { id } = member.user;
    await gateway.database.prisma.user.update({ where: { id }, data: { emailConfirmedAt: null } });
    const userName = directory.address();
    const moved = await directory.patch(`/Users/${id}`, { op: "replace", path: "userName", value: userName });
    expect([moved.status, moved.body.active, moved.body.emails[0]?.value]).toEqual([200, true, userName]);
    const { passwordHash } = await gateway.database.prisma.user.findUniqueOrThrow({ where: { id } });
    expect([passwordHash, (await member.call("/v1/auth/me")).status]).toEqual([null, 401]);
  });

  it.each<[string, object, object]>([
    [
      "dotted keys",
      { op: "add", value: { "name.familyName": "Hopper", externalId: "x" } },
      { externalId: "x", name: { formatted: "Ada Hopper", givenName: "Ada", familyName: "Hopper" } },
    ],
    [
      "keys with a URN",
      { op: "replace", value: { [`${USER}:name.givenName`]: "Grace" } },
      { displayName: "Grace Byron" },
    ],
    ["remove", { op: "remove", path: "externalId" }, {}],
  ])("understands %s", async (_form, operation, expected) => {
    const user = await directory.addUser({
      externalId: "e",
      name: { givenName: "Ada", familyName: "Byron" },
    });
    const { status, body } = await directory.patch(`/Users/${user.id}`, operation);
    expect(status).toBe(200);
    expect(body).toMatchObject(expected);
    if ("path" in operation && operation.path === "externalId") expect(body).not.toHaveProperty("externalId");
  });

  it("changes the address within verified domains, even if the path has to create it", async () => {
    const user = await directory.addUser();
    const next = directory.address();
    const path = 'emails[type eq "work"].value';
    const { body } = await directory.patch(`/Users/${user.id}`, { op: "add", path, value: next });
    expect([body.userName, body.emails[0]?.value]).toEqual([user.userName, next]);
    const primary = { value: directory.address(), primary: "True" };
    const added = await directory.patch(`/Users/${user.id}`, { op: "add", path: "emails", value: [primary] });
    expect(added.body.emails[0]?.value).toBe(primary.value);
    const elsewhere = { op: "replace", path, value: "ada@elsewhere.example" };
    const refused = directory.patch(`/Users/${user.id}`, elsewhere);
    await expectFault(refused, 400, "invalidValue");
  });

  it("is atomic, and keeps the version if nothing changes", async () => {
    const user = await directory.addUser({ displayName: "Ada" });
    const send = (...operations: object[]) => directory.patch(`/Users/${user.id}`, ...operations);
    const same = await send({ op: "replace", path: "displayName", value: "Ada" });
    expect(same.body.meta.version).toBe('W/"1"');
    const changed = await send({ op: "replace", path: "displayName", value: "Grace" });
    expect(changed.body.meta.version).toBe('W/"2"');
    const broken = send(
      { op: "replace", path: "displayName", value: "Lost" },
      { op: "replace", path: "shoeSize", value: 7 },
    );
    await expectFault(broken, 400, "invalidPath");
    await expectFault(send({ op: "replace", path: "id", value: "x" }), 400, "mutability");
    await expectFault(send({ op: "remove" }), 400, "noTarget");
    await expectFault(send({ op: "move", path: "title" }), 400, "invalidSyntax");
    const many = Array.from({ length: 101 }, () => ({ op: "replace", path: "title", value: "x" }));
    await expectFault(send(...many), 400, "invalidSyntax");
    const addresses = Array.from({ length: 600 }, (_, n) => ({ value: `ada-${n}@example.org` }));
    const long = { op: "add", path: "emails", value: addresses };
    await expectFault(send(long, long), 400, "invalidValue");
    const names = Array.from({ length: 501 }, (_, n) => `emails[type eq "${n}"].value`);
    const wide = { op: "replace", value: Object.fromEntries(names.map((name) => [name, "ada@example.org"])) };
    expect((await send(wide, wide)).body).toMatchObject({
      scimType: "invalidValue",
      detail: "Operations: at most 500 attributes in a patch",
    });
    expect((await directory.scim(`/Users/${user.id}`)).body.displayName).toBe("Grace");
  });
});

describe("PUT /scim/v2/Users/{id}", () => {
  it("clears missing attributes, but needs `active` for a user who is not active", async () => {
    const user = await directory.addUser({ externalId: "e", name: { givenName: "Ada" }, active: false });
    expect(user.active).toBe(false);
    const put = (json: object) =>
      directory.scim(`/Users/${user.id}`, { method: "PUT", json: { userName: user.userName, ...json } });
    await expectFault(put({}), 400, "invalidValue");
    expect((await put({ active: true })).body.active).toBe(true);
    const { status, body } = await put({ schemas: [USER], id: user.id });
    expect(status).toBe(200);
    expect(body.active).toBe(true);
    expect(body.displayName).toEqual(user.userName);
    expect(body["externalId"]).toBeUndefined();
    expect(body["name"]).toEqual({ formatted: user.userName });
  });
});

describe("a deactivated user", () => {
  it("loses every session on every process at once, and later regains only the role", async () => {
    const email = directory.address();
    const elsewhere = await signUp(gateway, { email });
    const { id } = await directory.addUser({ userName: email });
    const here = await signIn(gateway, elsewhere.user, directory.owner.organization);
    const onOther = withBearer(other, here.session.token);
    expect((await onOther.call("/v1/auth/me")).status).toBe(200);
    await directory.patch(`/Users/${id}`, { op: "Replace", path: "active", value: "False" });
    const statuses = async () => [
      (await here.call("/v1/auth/me")).status,
      (await elsewhere.call("/v1/auth/me")).status,
      (await onOther.call("/v1/auth/me")).status,
    ];
    expect(await statuses()).toEqual([401, 401, 401]);
    await directory.patch(`/Users/${id}`, { op: "replace", value: { active: true } });
    expect(await statuses()).toEqual([401, 401, 401]);
    const member = await gateway.database.prisma.membership.findFirst({
      where: { userId: id, organizationId: directory.owner.organization.id },
    });
    expect(member?.role).toBe("viewer");
    const again = await signIn(gateway, elsewhere.user, directory.owner.organization);
    expect((await again.call("/v1/auth/me")).status).toBe(200);
  });

  it("stays disabled if the operator disabled the account", async () => {
    const { id } = await directory.addUser();
    await gateway.database.prisma.user.update({ where: { id }, data: { disabledAt: NOW } });
    const refused = await directory.patch(`/Users/${id}`, { op: "replace", path: "active", value: true });
    await expectFault(refused, 403, "mutability");
  });

  it("is never the last owner", async () => {
    const own = await openDirectory(gateway);
    const { prisma } = gateway.database;
    await prisma.user.update({ where: { id: own.owner.user.id }, data: { email: own.address() } });
    const path = `/Users/${own.owner.user.id}`;
    const refused = [403, "403", "mutability"];
    expect(faultOf(await own.patch(path, { op: "replace", path: "active", value: false }))).toEqual(refused);
    expect(faultOf(await own.scim(path, { method: "DELETE" }))).toEqual(refused);
  });
});

describe("DELETE /scim/v2/Users/{id}", () => {
  it("removes the member and disables the account, which a later POST brings back", async () => {
    const { id, userName } = await directory.addUser();
    const removed = await directory.scim(`/Users/${id}`, { method: "DELETE" });
    expect([removed.status, removed.body]).toEqual([204, ""]);
    const { prisma } = gateway.database;
    const user = await prisma.user.findUniqueOrThrow({ where: { id }, include: { memberships: true } });
    expect([user.disabledAt, user.memberships]).toEqual([NOW, []]);
    const json = { schemas: [USER], userName };
    const withoutActive = directory.scim("/Users", { json });
    await expectFault(withoutActive, 400, "invalidValue");
    const again = await directory.addUser({ userName, active: true });
    expect([again.id, again.active]).toEqual([id, true]);
  });
});
