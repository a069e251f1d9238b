import { describe, expect, it } from "vitest";
import { ATTRIBUTES } from "../../src/domain/directory/attributes.js";
import { use, useGateway } from "../support/use.js";
import { expectFault, type Fault, faultOf, GROUP, openDirectory, type Resource, USER } from "./directory.js";

const gateway = useGateway();
const directory = use(() => openDirectory(gateway));

const INVALID = [400, "400", "invalidValue"];
/** Values without content, as JSON has them. */
const EMPTY = [null, "", [], {}, [null], [{}], { value: null }];

/** Every change of an attribute to an empty value, with and without a path, and its removal. */
const operationsOn = (name: string): object[] => [
  ...EMPTY.flatMap((value) =>
    ["add", "replace"].flatMap((op) => [
      { op, path: name, value },
      { op, value: { [name]: value } },
    ]),
  ),
  ...[undefined, ...EMPTY].map((value) => ({ op: "remove", path: name, value })),
];

describe("a null or missing value", () => {
  it("never makes `active` true", async () => {
    const leaver = await directory.addUser({ active: false });
    const path = `/Users/${leaver.id}`;
    const put = (json: object) =>
      directory.scim(path, { method: "PUT", json: { userName: leaver.userName, ...json } });
    const post = (json: object) =>
      directory.scim("/Users", { json: { schemas: [USER], userName: directory.address(), ...json } });
    expect(faultOf(await directory.patch(path, { op: "replace", path: "active", value: null }))).toEqual(
      INVALID,
    );
    expect(faultOf(await directory.patch(path, { op: "add", value: { active: null } }))).toEqual(INVALID);
    const removed = directory.patch(path, { op: "remove", path: "active" });
    await expectFault(removed, 400, "mutability");
    for (const answer of [await put({ active: null }), await put({}), await post({ active: null })])
      expect(faultOf(answer)).toEqual(INVALID);
    expect((await directory.scim(path)).body.active).toBe(false);
    expect((await post({})).body.active).toBe(true);
  });

  it.each(Object.keys(ATTRIBUTES.User))("of a user's %s gives a leaver nothing", async (name) => {
    const leaver = await directory.addUser({ active: false });
    const path = `/Users/${leaver.id}`;
    const member = { userId: leaver.id, organizationId: directory.owner.organization.id };
    const before = await gateway.database.prisma.membership.findFirst({ where: member });
    const answers: { status: number; body: unknown }[] = [];
    for (const operation of operationsOn(name)) answers.push(await directory.patch(path, operation));
    for (const value of EMPTY) {
      const json = { schemas: [USER], userName: leaver.userName, [name]: value };
      answers.push(await directory.scim(path, { method: "PUT", json }));
    }
    for (const { status, body } of answers) {
      if (status !== 200) expect([status, (body as Fault).status]).toEqual([400, "400"]);
    }
    const { body } = await directory.scim<Resource>(path);
    expect([body.active, body.emails[0]?.value]).toEqual([false, leaver.emails[0]?.value]);
    const user = await gateway.database.prisma.user.findUniqueOrThrow({ where: { id: leaver.id } });
    expect(user.disabledAt).not.toBeNull();
    expect(await gateway.database.prisma.membership.findFirst({ where: member })).toEqual(before);
  });

  it.each(Object.keys(ATTRIBUTES.Group))("of a group's %s gives nobody a role", async (name) => {
    const group = await directory.addGroup();
    const user = await directory.addUser();
    for (const operation of operationsOn(name)) {
      const { status, body } = await directory.patch<Fault>(`/Groups/${group.id}`, operation);
      if (status !== 200) expect([status, body.status]).toEqual([400, "400"]);
    }
    for (const value of EMPTY) {
      const json = { schemas: [GROUP], displayName: group.displayName, [name]: value };
      const { status } = await directory.scim(`/Groups/${group.id}`, { method: "PUT", json });
      expect([200, 400]).toContain(status);
    }
    expect((await directory.scim(`/Groups/${group.id}`)).body.members).toEqual([]);
    expect((await directory.scim(`/Users/${user.id}`)).body.groups).toEqual([]);
  });
});

describe("a list with several primary items", () => {
  const lists = Object.entries(ATTRIBUTES.User).flatMap(([name, { isList, parts }]) =>
    isList && parts?.includes("primary") ? [name] : [],
  );
  it.each(lists)("is refused: %s", async (name) => {
    const user = await directory.addUser();
    const item = (value: string, primary: unknown) => ({ value, type: "work", primary });
    const first = user.userName;
    for (const two of [
      [item(first, true), item(directory.address(), "True")],
      [item(first, false), item(first, true), item(first, true)],
    ]) {
      const json = { schemas: [USER], userName: user.userName, [name]: two };
      const put = await directory.scim(`/Users/${user.id}`, { method: "PUT", json });
      const post = await directory.scim("/Users", { json: { ...json, userName: directory.address() } });
      const patch = await directory.patch(`/Users/${user.id}`, { op: "replace", path: name, value: two });
      const add = await directory.patch(`/Users/${user.id}`, { op: "add", value: { [name]: two } });
      for (const answer of [put, post, patch, add]) expect(faultOf(answer)).toEqual(INVALID);
    }
    expect((await directory.scim(`/Users/${user.id}`)).body.emails).toEqual(user.emails);
  });

  it("does not result from a patch that makes another item primary", async () => {
    const user = await directory.addUser();
    const value = directory.address();
    const { status, body } = await directory.patch(`/Users/${user.id}`, {
      op: "add",
      path: 'emails[type eq "home"]',
      value: { value, primary: true },
    });
    expect([status, body.emails]).toEqual([200, [{ value, type: "work", primary: true }]]);
  });
});

describe("HEAD /scim/v2", () => {
  it.each([
    "/Users",
    "/Users/{user}",
    "/Groups",
    "/Groups/{group}",
    "/ServiceProviderConfig",
    "/ResourceTypes",
    "/ResourceTypes/User",
    "/Schemas",
    `/Schemas/${USER}`,
    "/Users/unknown",
    "/Users?filter=broken",
    "/Nothing",
  ])("answers as GET does: %s", async (template) => {
    const [user, group] = [await directory.addUser(), await directory.addGroup()];
    const path = template.replace("{user}", user.id).replace("{group}", group.id);
    const [get, head] = [await directory.scim(path), await directory.scim<string>(path, { method: "HEAD" })];
    expect([head.status, head.body]).toEqual([get.status, ""]);
    const lasting = ({ headers }: { headers: Headers }) =>
      [...headers].filter(
        ([name]) => !/^(?:connection|date|keep-alive|x-request-id|x-ratelimit-|ratelimit)/.test(name),
      );
    expect(lasting(head)).toEqual(lasting(get));
  });
});
