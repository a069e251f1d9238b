import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { use, useGateway } from "../support/use.js";
import { GROUP, type List, openDirectory, PATCH, type Resource, USER } from "./directory.js";

const ENTERPRISE = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
const ERROR = "urn:ietf:params:scim:api:messages:2.0:Error";
const LIST = "urn:ietf:params:scim:api:messages:2.0:ListResponse";

const gateway = useGateway();
const directory = use(() => openDirectory(gateway));

const headers = { "Content-Type": "application/scim+json; charset=utf-8", Accept: "application/scim+json" };
const send = (method: string, path: string, json?: object) =>
  directory.scim<Resource & List>(path, { method, headers, ...(json && { json }) });
const filtered = (path: string, filter: string) => `${path}filter=${encodeURIComponent(filter)}`;
const replace = (path: string, value: unknown) => ({ op: "Replace", path, value });

/** Expects that a request is answered with this status, and this body or part of it. */
async function answers(method: string, path: string, status: number, body: object | "", json?: object) {
  const answer = await send(method, path, json);
  expect([method, path, answer.status, answer.body]).toMatchObject([method, path, status, body]);
  return answer.body;
}
const finds = (path: string, filter: string, found: object) =>
  answers("GET", filtered(path, filter), 200, { schemas: [LIST], ...found });
const patches = (path: string, body: object, ...operations: object[]) =>
  answers("PATCH", path, 200, body, { schemas: [PATCH], Operations: operations });
const repeats = (path: string, json: object) =>
  answers("POST", path, 409, { schemas: [ERROR], status: "409", scimType: "uniqueness" }, json);
async function deletes(path: string) {
  await answers("DELETE", path, 204, "");
  for (const method of ["GET", "DELETE"])
    await answers(method, path, 404, { schemas: [ERROR], status: "404" });
}

describe("Microsoft Entra ID", () => {
  it("provisions users", async () => {
    const [userName, next] = [directory.address(), directory.address()];
    const user = {
      schemas: [USER, ENTERPRISE],
      externalId: randomUUID(),
      userName,
      active: true,
      emails: [{ primary: true, type: "work", value: userName }],
      meta: { resourceType: "User" },
      name: { formatted: "givenName familyName", familyName: "familyName", givenName: "givenName" },
      roles: [],
    };
    const { id } = await answers("POST", "/Users", 201, { userName, meta: { resourceType: "User" } }, user);
    const path = `/Users/${id}`;
    await answers("GET", path, 200, { userName, active: true });
    await finds("/Users?", `userName eq "${userName}"`, { totalResults: 1, Resources: [{ userName }] });
    await finds("/Users?", `userName eq "${randomUUID()}"`, {
      totalResults: 0,
      itemsPerPage: 0,
      Resources: [],
    });
    await finds("/Users?", `externalId eq "${user.externalId}"`, { totalResults: 1 });
    await repeats("/Users", user);
    await patches(
      path,
      { emails: [{ value: next, type: "work" }], name: { familyName: "Updated", givenName: "givenName" } },
      replace('emails[type eq "work"].value', next),
      replace("name.familyName", "Updated"),
    );
    // The gateway does not keep these.
    await patches(
      path,
      { active: true },
      replace('phoneNumbers[type eq "mobile"].value', "+49 30 1"),
      replace('addresses[type eq "work"].streetAddress', "Street 1"),
      { op: "Add", path: `${ENTERPRISE}:department`, value: "Energy" },
      { op: "Add", path: `${ENTERPRISE}:manager`, value: randomUUID() },
      { op: "Add", path: 'roles[primary eq "True"].value', value: "Auditor" },
      { op: "Add", value: { title: "Engineer", [`${ENTERPRISE}:employeeNumber`]: "7" } },
    );
    await patches(path, { userName: next }, replace("userName", next));
    await patches(path, { active: false }, replace("active", "False"));
    await patches(path, { active: true }, replace("active", "True"));
    await patches(path, { active: false }, replace("active", false));
    await deletes(path);
  });

  it("provisions groups", async () => {
    const displayName = `Entra ${randomUUID()}`;
    const [ada, grace] = [await directory.addUser(), await directory.addUser()];
    const group = {
      schemas: [GROUP, "http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group"],
      externalId: randomUUID(),
      displayName,
      members: [],
      meta: { resourceType: "Group" },
    };
    const shown = { displayName, externalId: group.externalId, members: [] };
    const { id } = await answers("POST", "/Groups", 201, shown, group);
    const path = `/Groups/${id}`;
    const members = (...users: Resource[]) => users.map((user) => ({ $ref: null, value: user.id }));
    await answers("GET", `${path}?excludedAttributes=members`, 200, { displayName });
    const found = { totalResults: 1, Resources: [{ displayName }] };
    await finds("/Groups?excludedAttributes=members&", `displayName eq "${displayName}"`, found);
    await repeats("/Groups", group);
    await patches(path, { displayName: `${displayName} 2` }, replace("displayName", `${displayName} 2`));
    const both = { op: "Add", path: "members", value: members(ada, grace) };
    await patches(path, { members: { length: 2 } }, both);
    const one = { op: "Remove", path: "members", value: members(ada) };
    await patches(path, { members: [{ value: grace.id }] }, one);
    // As the standard says, which Entra ID does if told to.
    await patches(path, { members: [] }, { op: "Remove", path: `members[value eq "${grace.id}"]` });
    await deletes(path);
  });
});

describe("Okta", () => {
  it("provisions users", async () => {
    const userName = directory.address();
    const name = { givenName: "Test", familyName: "User" };
    const user = {
      schemas: [USER],
      userName,
      name,
      emails: [{ primary: true, value: userName, type: "work" }],
      displayName: "Test User",
      locale: "en-US",
      externalId: randomUUID(),
      groups: [],
      password: "1mz050nq",
      active: true,
    };
    const created = await answers(
      "POST",
      "/Users",
      201,
      { userName, name, active: true, schemas: [USER] },
      user,
    );
    expect(created).not.toHaveProperty("password");
    const { id } = created;
    const path = `/Users/${id}`;
    // Okta tests the connection.
    const page = { schemas: [LIST], itemsPerPage: 1, startIndex: 1, totalResults: expect.any(Number) };
    await answers("GET", "/Users?startIndex=1&count=1", 200, { ...page, Resources: [{}] });
    const shown = { id, name, emails: [{ value: userName }], active: true };
    const found = { totalResults: 1, Resources: [shown] };
    await finds("/Users?startIndex=1&count=100&", `userName eq "${userName}"`, found);
    await finds("/Users?", 'userName eq "nobody@example.com"', { totalResults: 0 });
    await answers("GET", "/Users/0", 404, { schemas: [ERROR], detail: expect.any(String) });
    await repeats("/Users", user);
    const changed = { name: { givenName: "Another", familyName: "User" }, displayName: "Another User" };
    await answers("PUT", path, 200, { id, ...changed }, { ...user, id, ...changed });
    await patches(path, { active: false }, { op: "replace", value: { active: false } });
    await answers("PUT", path, 200, { active: true }, { ...user, id, active: true });
  });

  it("pushes groups", async () => {
    const displayName = `Okta ${randomUUID()}`;
    const [ada, grace] = [await directory.addUser(), await directory.addUser()];
    const group = { schemas: [GROUP], displayName, members: [] };
    const { id } = await answers("POST", "/Groups", 201, group, group);
    const path = `/Groups/${id}`;
    const member = (user: Resource) => ({ value: user.id, display: user.userName });
    const members = (user: Resource) => ({ members: [{ value: user.id }] });
    await answers("GET", "/Groups?startIndex=1&count=100", 200, { schemas: [LIST], startIndex: 1 });
    const found = { totalResults: 1, Resources: [{ id, members: [] }] };
    await finds("/Groups?startIndex=1&count=100&", `displayName eq "${displayName}"`, found);
    const renamed = { displayName: `${displayName} 2` };
    await patches(path, renamed, { op: "replace", value: { id, ...renamed } });
    await patches(path, members(ada), { op: "replace", path: "members", value: [member(ada)] });
    const add = { op: "add", path: "members", value: [member(grace)] };
    await patches(path, members(grace), { op: "remove", path: `members[value eq "${ada.id}"]` }, add);
    const empty = { members: [], displayName };
    await patches(path, empty, { op: "replace", value: { id, ...empty } });
    const pushed = { ...group, id, members: [member(ada)] };
    await answers("PUT", path, 200, { displayName, ...members(ada) }, pushed);
    await deletes(path);
  });
});
