import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { signUp } from "../support/people.js";
import { NOW } from "../support/server.js";
import { use, useGateway } from "../support/use.js";
import { expectFault, faultOf, GROUP, type List, openDirectory, type Resource } from "./directory.js";

let ada: Resource;
let grace: Resource;
let alan: Resource;
const gateway = useGateway();
const directory = use(() => openDirectory(gateway));
beforeAll(async () => {
  ada = await directory.addUser({ displayName: "Ada" });
  grace = await directory.addUser({ displayName: "Grace" });
  alan = await directory.addUser({ displayName: "Alan" });
});

const idsOf = ({ members }: Pick<Resource, "members">) => members.map(({ value }) => value).toSorted();
const ids = (...users: readonly Resource[]) => users.map(({ id }) => id).toSorted();
const userOf = async (id: string) => (await directory.scim(`/Users/${id}`)).body;

describe("POST /scim/v2/Groups", () => {
  it("creates a group of users, whose resources then list it", async () => {
    const displayName = `Auditors ${randomUUID()}`;
    const { status, headers, body } = await directory.scim("/Groups", {
      json: {
        schemas: [GROUP],
        displayName,
        externalId: "g-1",
        members: [{ value: ada.id, display: "Ada" }],
      },
    });
    const base = body.meta.location.replace(/\/Groups\/.*/, "");
    expect(body).toEqual({
      schemas: [GROUP],
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      externalId: "g-1",
      displayName,
      members: [{ value: ada.id, $ref: `${base}/Users/${ada.id}`, type: "User" }],
      meta: {
        resourceType: "Group",
        created: NOW.toISOString(),
        lastModified: NOW.toISOString(),
        location: expect.stringContaining(`/scim/v2/Groups/${body.id}`),
        version: 'W/"1"',
      },
    });
    expect(status).toBe(201);
    expect(headers.get("location")).toEqual(body.meta.location);
    expect(headers.get("etag")).toEqual('W/"1"');
    const group = { value: body.id, display: displayName, $ref: body.meta.location, type: "direct" };
    expect((await userOf(ada.id)).groups).toEqual([group]);
    const entries = await gateway.database.prisma.auditEntry.findMany({
      where: {
        organizationId: directory.owner.organization.id,
        action: { in: ["directory_group.created", "directory_member.created"] },
        OR: [{ targetId: body.id }, { targetId: ada.id }],
      },
      orderBy: { seq: "asc" },
    });
    expect(entries.map(({ action }) => action)).toEqual([
      "directory_group.created",
      "directory_member.created",
    ]);
  });

  it("refuses the name of another group, and members who are not users", async () => {
    const { displayName, id } = await directory.addGroup();
    const post = async (fields: object) =>
      faultOf(
        await directory.scim("/Groups", { json: { schemas: [GROUP], displayName: randomUUID(), ...fields } }),
      );
    expect(await post({ displayName: String(displayName).toUpperCase() })).toEqual([
      409,
      "409",
      "uniqueness",
    ]);
    const stranger = await signUp(gateway);
    for (const fields of [
      { displayName: "" },
      { displayName: 7 },
      { members: [{ value: id }] },
      { members: [{ value: ada.id, type: "Group" }] },
      { members: [{ value: stranger.user.id }] },
      { members: [{ value: directory.owner.user.id }] },
      { members: [{ value: "ada" }] },
      { members: [{ display: "Ada" }] },
      { members: [7] },
    ]) {
      expect([fields, ...(await post(fields))].slice(1)).toEqual([400, "400", "invalidValue"]);
    }
  });
});

describe("GET /scim/v2/Groups", () => {
  it("compares by equality, and refuses every other filter", async () => {
    const displayName = `Find ${randomUUID()}`;
    const group = await directory.addGroup([], { displayName, externalId: "Ext-9" });
    const find = (filter: string) =>
      directory.scim<List>(`/Groups?excludedAttributes=members&filter=${encodeURIComponent(filter)}`);
    for (const filter of [
      `displayName eq "${displayName.toUpperCase()}"`,
      `${GROUP}:displayName eq "${displayName}"`,
      'externalId Eq "Ext-9"',
      `id eq "${group.id}" and displayName eq "${displayName}"`,
    ]) {
      expect([filter, (await find(filter)).body.Resources.map(({ id }) => id)]).toEqual([filter, [group.id]]);
    }
    expect((await find('externalId eq "ext-9"')).body.totalResults).toBe(0);
    for (const filter of [`members eq "${ada.id}"`, 'displayName co "Find"', 'userName eq "a"', ""]) {
      expect([filter, ...faultOf(await find(filter))]).toEqual([filter, 400, "400", "invalidFilter"]);
    }
  });

  it("pages, and returns the requested attributes", async () => {
    const own = await openDirectory(gateway);
    const user = await own.addUser();
    const groups = [await own.addGroup([user]), await own.addGroup(), await own.addGroup([user])];
    const expected = groups.map(({ id }) => id).toSorted();
    const { body } = await own.scim<List>("/Groups");
    expect([body.totalResults, body.Resources.map(({ id }) => id).toSorted()]).toEqual([3, expected]);
    expect(body.Resources.flatMap(({ members }) => members.map(({ value }) => value))).toEqual([
      user.id,
      user.id,
    ]);
    const second = (await own.scim<List>("/Groups?startIndex=2&count=1")).body;
    expect([second.totalResults, second.startIndex, second.itemsPerPage]).toEqual([3, 2, 1]);
    const searched = await own.scim<List>("/Groups/.search", {
      json: { filter: `id eq "${groups[0]?.id}"`, excludedAttributes: ["members", "meta"] },
    });
    expect(searched.body.Resources).toEqual([
      { schemas: [GROUP], id: groups[0]?.id, displayName: groups[0]?.displayName },
    ]);
    const values = await own.scim(`/Groups/${groups[0]?.id}?attributes=members.value`);
    expect(values.body).toEqual({ schemas: [GROUP], id: groups[0]?.id, members: [{ value: user.id }] });
    expect((await directory.scim(`/Groups/${groups[0]?.id}`)).status).toBe(404);
    expect((await directory.scim("/Groups/none")).status).toBe(404);
  });

  it("returns at most 10,000 members per group and per page", async () => {
    const own = await openDirectory(gateway);
    const { organization } = own.owner;
    for (let n = 0; n < 3; n += 1) await own.addGroup();
    for (let from = 1; from < 6_000; from += 1_000)
      await gateway.database.prisma.$executeRaw`
        WITH people AS (INSERT INTO users (email, name) SELECT n || ${`@${own.domain}`}, 'Many'
          FROM generate_series(${from}::integer, ${from}::integer + 999) AS n RETURNING id)
        INSERT INTO memberships (organization_id, user_id, role) SELECT ${organization.id}::uuid, id, 'viewer' FROM people`;
    await gateway.database.prisma.$executeRaw`
      INSERT INTO directory_users (organization_id, user_id, user_name, created_at, updated_at)
      SELECT m.organization_id, u.id, u.email, now(), now() FROM memberships AS m JOIN users AS u ON u.id = m.user_id
      WHERE m.organization_id = ${organization.id}::uuid AND m.role = 'viewer'`;
    await gateway.database.prisma.$executeRaw`
      INSERT INTO directory_members (organization_id, group_id, user_id)
      SELECT d.organization_id, g.id, d.user_id FROM directory_users AS d JOIN directory_groups AS g USING (organization_id)
      WHERE d.organization_id = ${organization.id}::uuid`;
    const { body } = await own.scim<List>("/Groups");
    expect([body.totalResults, body.itemsPerPage, body.Resources[0]?.members.length]).toEqual([3, 1, 6_000]);
    const without = await own.scim<List>("/Groups?excludedAttributes=members");
    expect(without.body.itemsPerPage).toBe(3);
    const path = `/Groups/${body.Resources[0]?.id}`;
    const strangers = Array.from({ length: 5 }, () => ({
      op: "add",
      path: "members",
      value: Array.from({ length: 1_000 }, () => randomUUID()),
    }));
    await expectFault(own.patch(path, ...strangers), 400, "invalidValue");
    const some = body.Resources[0]?.members.slice(0, 1_000).map(({ value }) => ({ value })) ?? [];
    const swaps = Array.from({ length: 5 }, () => [
      { op: "remove", path: "members", value: some },
      { op: "add", path: "members", value: some },
    ]).flat();
    const swapped = await own.patch(path, ...swaps);
    expect([swapped.status, swapped.body.members.length]).toEqual([200, 6_000]);
    const emptied = await own.patch(path, { op: "remove", path: "members" });
    expect([emptied.status, emptied.body.members]).toEqual([200, []]);
  });
});

describe("PATCH /scim/v2/Groups/{id}", () => {
  const value = (...users: readonly Resource[]) => users.map(({ id }) => ({ $ref: null, value: id }));

  it.each<[string, () => object, () => readonly Resource[]]>([
    [
      "a removal of non-members",
      () => ({ op: "Remove", path: "members", value: value(grace, alan) }),
      () => [ada],
    ],
    ["a removal of an empty list", () => ({ op: "remove", path: "members", value: [] }), () => [ada]],
    ["a removal of all", () => ({ op: "remove", path: "members" }), () => []],
    [
      "a replace of the externalId",
      () => ({ op: "replace", path: "externalId", value: randomUUID() }),
      () => [ada],
    ],
    [
      "the URN of the schema",
      () => ({ op: "add", path: `${GROUP}:members`, value: value(alan) }),
      () => [ada, alan],
    ],
    ["one value", () => ({ op: "add", path: "members", value: { value: alan.id } }), () => [ada, alan]],
  ])("understands %s", async (_form, operation, expected) => {
    const group = await directory.addGroup([ada]);
    const { status, body } = await directory.patch(`/Groups/${group.id}`, operation());
    expect([status, idsOf(body)]).toEqual([200, ids(...expected())]);
    expect(idsOf((await directory.scim(`/Groups/${group.id}`)).body)).toEqual(ids(...expected()));
  });

  it("is atomic, and keeps the version if nothing changes", async () => {
    const group = await directory.addGroup([ada]);
    const path = `/Groups/${group.id}`;
    const former = (await userOf(ada.id)).meta.version;
    const same = await directory.patch(path, { op: "add", path: "members", value: value(ada) });
    expect(same.body.meta.version).toBe('W/"1"');
    expect((await userOf(ada.id)).meta.version).toBe(former);
    const broken = directory.patch(
      path,
      { op: "remove", path: "members" },
      { op: "replace", path: "displayName", value: "" },
    );
    await expectFault(broken, 400, "invalidValue");
    const changed = await directory.patch(path, { op: "add", path: "members", value: value(grace) });
    expect([changed.body.meta.version, idsOf(changed.body)]).toEqual(['W/"2"', ids(ada, grace)]);
    const renamed = await directory.patch(path, {
      op: "replace",
      path: "displayName",
      value: `R ${randomUUID()}`,
    });
    expect(renamed.body.meta.version).toBe('W/"3"');
    expect((await userOf(ada.id)).meta.version).not.toBe(former);
  });

  it.each<[string, () => object, string]>([
    [
      "1,001 members",
      () => ({ op: "add", path: "members", value: Array.from({ length: 1_001 }, () => randomUUID()) }),
      "invalidSyntax",
    ],
    [
      "a group as a member",
      () => ({ op: "add", path: "members", value: [{ value: ada.id, type: "group" }] }),
      "invalidValue",
    ],
    ["no user", () => ({ op: "add", path: "members", value: [{ value: randomUUID() }] }), "invalidValue"],
    ["no list", () => ({ op: "replace", path: "members", value: 7 }), "invalidValue"],
    [
      "a part of members",
      () => ({ op: "replace", path: `members[value eq "${ada.id}"].display`, value: "A" }),
      "invalidPath",
    ],
    ["another filter", () => ({ op: "remove", path: 'members[display eq "Ada"]' }), "invalidFilter"],
    ["no attribute", () => ({ op: "replace", path: "owners", value: [] }), "invalidPath"],
    ["the id", () => ({ op: "replace", path: "id", value: "x" }), "mutability"],
    ["no name", () => ({ op: "remove", path: "displayName" }), "invalidValue"],
  ])("refuses %s", async (_what, operation, scimType) => {
    const group = await directory.addGroup([ada]);
    const refused = await directory.patch(`/Groups/${group.id}`, operation());
    expect(faultOf(refused)).toEqual([400, "400", scimType]);
  });
});

describe("PUT and DELETE /scim/v2/Groups/{id}", () => {
  it("replaces the whole group, and removes only the group", async () => {
    const group = await directory.addGroup([ada], { externalId: "e" });
    const path = `/Groups/${group.id}`;
    const put = await directory.scim(path, {
      method: "PUT",
      json: { schemas: [GROUP], displayName: group.displayName, members: [{ value: grace.id }] },
    });
    expect([put.status, idsOf(put.body), put.body["externalId"]]).toEqual([200, [grace.id], undefined]);
    await directory.scim(path, { method: "DELETE" });
    expect((await userOf(grace.id)).groups.map(({ value }) => value)).not.toContain(group.id);
  });

  it("changes the version after a member left the organization", async () => {
    const user = await directory.addUser();
    const group = await directory.addGroup([ada, user]);
    await directory.scim(`/Users/${user.id}`, { method: "DELETE" });
    const { body } = await directory.scim(`/Groups/${group.id}`);
    expect([body.meta.version, idsOf(body)]).toEqual(['W/"2"', [ada.id]]);
  });
});
