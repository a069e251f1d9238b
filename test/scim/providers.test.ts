import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { use, useGateway } from "../support/use.js";
import { GROUP, type List, openDirectory, PATCH, type Resource, USER } from "./directory.js";

const ENTERPRISE = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
const ERROR = "urn:ietf:params:scim:api:messages:2.0:Error";
const LIST = "urn:ietf:params:scim:api:messages:2.0:ListResponse";

const gateway = useGateway();
const directory = use(() => openDirectory(gateway));

/** A request as a provider sends it, with the expected part of the answer. */
type Case = [
  name: string,
  request: [method: string, path: string, body?: object],
  status: number,
  body: object,
];

async function send([method, path, json]: Case[1]) {
  const headers = { "Content-Type": "application/scim+json; charset=utf-8", Accept: "application/scim+json" };
  return directory.scim<Resource & List>(path, { method, headers, ...(json && { json }) });
}

async function run(cases: readonly Case[]): Promise<void> {
  for (const [name, request, status, body] of cases) {
    const answer = await send(request);
    expect([name, answer.status, answer.body]).toMatchObject([name, status, body]);
  }
}

const filtered = (path: string, filter: string) => `${path}filter=${encodeURIComponent(filter)}`;
const patch = (...operations: object[]) => ({ schemas: [PATCH], Operations: operations });
const replace = (path: string, value: unknown) => ({ op: "Replace", path, value });

describe("Microsoft Entra ID", () => {
  const newUser = (userName: string, more: object = {}) => ({
    schemas: [USER, ENTERPRISE],
    externalId: randomUUID(),
    userName,
    active: true,
    emails: [{ primary: true, type: "work", value: userName }],
    meta: { resourceType: "User" },
    name: { formatted: "givenName familyName", familyName: "familyName", givenName: "givenName" },
    roles: [],
    ...more,
  });

  it("provisions users", async () => {
    const [userName, next] = [directory.address(), directory.address()];
    const created = await send(["POST", "/Users", newUser(userName)]);
    expect(created).toMatchObject({ status: 201, body: { userName, meta: { resourceType: "User" } } });
    const path = `/Users/${created.body.id}`;
    await run(
      [
        ["reads", ["GET", path], 200, { userName, active: true }],
        [
          "finds",
          ["GET", filtered("/Users?", `userName eq "${userName}"`)],
          200,
          { schemas: [LIST], totalResults: 1, Resources: [{ userName }] },
        ],
        [
          "finds nobody",
          ["GET", filtered("/Users?", `userName eq "${randomUUID()}"`)],
          200,
          { schemas: [LIST], totalResults: 0, itemsPerPage: 0, Resources: [] },
        ],
        [
          "finds by its own identifier",
          ["GET", filtered("/Users?", `externalId eq "${created.body["externalId"]}"`)],
          200,
          { totalResults: 1 },
        ],
        ["repeats", ["POST", "/Users", newUser(userName)], 409, { schemas: [ERROR], scimType: "uniqueness" }],
        [
          "updates values of lists",
          [
            "PATCH",
            path,
            patch(replace('emails[type eq "work"].value', next), replace("name.familyName", "Updated")),
          ],
          200,
          {
            emails: [{ value: next, type: "work" }],
            name: { familyName: "Updated", givenName: "givenName" },
          },
        ],
        [
          "updates what the gateway does not keep",
          [
            "PATCH",
            path,
            patch(
              replace('phoneNumbers[type eq "mobile"].value', "+49 30 1"),
              replace('addresses[type eq "work"].streetAddress', "Street 1"),
              { op: "Add", path: `${ENTERPRISE}:department`, value: "Energy" },
              { op: "Add", path: `${ENTERPRISE}:manager`, value: randomUUID() },
              { op: "Add", path: 'roles[primary eq "True"].value', value: "Auditor" },
              { op: "Add", value: { title: "Engineer", [`${ENTERPRISE}:employeeNumber`]: "7" } },
            ),
          ],
          200,
          { active: true },
        ],
        ["updates the user name", ["PATCH", path, patch(replace("userName", next))], 200, { userName: next }],
        ["disables", ["PATCH", path, patch(replace("active", "False"))], 200, { active: false }],
        ["enables", ["PATCH", path, patch(replace("active", "True"))], 200, { active: true }],
        ["disables by a boolean", ["PATCH", path, patch(replace("active", false))], 200, { active: false }],
        ["deletes", ["DELETE", path], 204, {}],
        ["reads nobody", ["GET", path], 404, { schemas: [ERROR], status: "404" }],
        ["deletes nobody", ["DELETE", path], 404, { schemas: [ERROR], status: "404" }],
      ].map(emptyIsText),
    );
  });

  it("provisions groups", async () => {
    const displayName = `Entra ${randomUUID()}`;
    const [ada, grace] = [await directory.addUser(), await directory.addUser()];
    const body = {
      schemas: [GROUP, "http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group"],
      externalId: randomUUID(),
      displayName,
      members: [],
      meta: { resourceType: "Group" },
    };
    const created = await send(["POST", "/Groups", body]);
    expect(created).toMatchObject({
      status: 201,
      body: { displayName, externalId: body.externalId, members: [] },
    });
    const path = `/Groups/${created.body.id}`;
    const members = (...users: Resource[]) => users.map(({ id }) => ({ $ref: null, value: id }));
    await run(
      [
        ["reads", ["GET", `${path}?excludedAttributes=members`], 200, { displayName }],
        [
          "finds",
          ["GET", filtered("/Groups?excludedAttributes=members&", `displayName eq "${displayName}"`)],
          200,
          { totalResults: 1, Resources: [{ displayName }] },
        ],
        ["repeats", ["POST", "/Groups", body], 409, { schemas: [ERROR], scimType: "uniqueness" }],
        [
          "renames",
          ["PATCH", path, patch(replace("displayName", `${displayName} 2`))],
          200,
          { displayName: `${displayName} 2` },
        ],
        [
          "adds",
          ["PATCH", path, patch({ op: "Add", path: "members", value: members(ada, grace) })],
          200,
          { members: { length: 2 } },
        ],
        [
          "removes",
          ["PATCH", path, patch({ op: "Remove", path: "members", value: members(ada) })],
          200,
          { members: [{ value: grace.id }] },
        ],
        [
          "removes as the standard says",
          ["PATCH", path, patch({ op: "Remove", path: `members[value eq "${grace.id}"]` })],
          200,
          { members: [] },
        ],
        ["deletes", ["DELETE", path], 204, {}],
        ["reads none", ["GET", path], 404, { schemas: [ERROR], status: "404" }],
      ].map(emptyIsText),
    );
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
    const created = await send(["POST", "/Users", user]);
    expect(created).toMatchObject({ status: 201, body: { userName, name, active: true, schemas: [USER] } });
    expect(created.body).not.toHaveProperty("password");
    const { id } = created.body;
    const path = `/Users/${id}`;
    await run([
      [
        "tests the connection",
        ["GET", "/Users?startIndex=1&count=1"],
        200,
        {
          schemas: [LIST],
          itemsPerPage: 1,
          startIndex: 1,
          totalResults: expect.any(Number),
          Resources: [{}],
        },
      ],
      [
        "finds",
        ["GET", `${filtered("/Users?", `userName eq "${userName}"`)}&startIndex=1&count=100`],
        200,
        { totalResults: 1, Resources: [{ id, name, emails: [{ value: userName }], active: true }] },
      ],
      [
        "finds nobody",
        ["GET", filtered("/Users?", 'userName eq "nobody@example.com"')],
        200,
        { schemas: [LIST], totalResults: 0 },
      ],
      ["reads nobody", ["GET", "/Users/0"], 404, { schemas: [ERROR], detail: expect.any(String) }],
      ["repeats", ["POST", "/Users", user], 409, { schemas: [ERROR], status: "409" }],
      [
        "replaces",
        [
          "PUT",
          path,
          { ...user, id, name: { givenName: "Another", familyName: "User" }, displayName: "Another User" },
        ],
        200,
        { id, name: { givenName: "Another", familyName: "User" }, displayName: "Another User" },
      ],
      [
        "deactivates",
        ["PATCH", path, patch({ op: "replace", value: { active: false } })],
        200,
        { active: false },
      ],
      ["reactivates", ["PUT", path, { ...user, id, active: true }], 200, { active: true }],
    ]);
  });

  it("pushes groups", async () => {
    const displayName = `Okta ${randomUUID()}`;
    const [ada, grace] = [await directory.addUser(), await directory.addUser()];
    const created = await send(["POST", "/Groups", { schemas: [GROUP], displayName, members: [] }]);
    expect(created).toMatchObject({ status: 201, body: { displayName, members: [], schemas: [GROUP] } });
    const { id } = created.body;
    const path = `/Groups/${id}`;
    const member = ({ id: value, userName: display }: Resource) => ({ value, display });
    const add = { op: "add", path: "members", value: [member(grace)] };
    const remove = { op: "remove", path: `members[value eq "${ada.id}"]` };
    await run(
      [
        ["lists", ["GET", "/Groups?startIndex=1&count=100"], 200, { schemas: [LIST], startIndex: 1 }],
        [
          "finds",
          ["GET", `${filtered("/Groups?", `displayName eq "${displayName}"`)}&startIndex=1&count=100`],
          200,
          { totalResults: 1, Resources: [{ id, members: [] }] },
        ],
        [
          "renames",
          ["PATCH", path, patch({ op: "replace", value: { id, displayName: `${displayName} 2` } })],
          200,
          { displayName: `${displayName} 2` },
        ],
        [
          "replaces the members",
          ["PATCH", path, patch({ op: "replace", path: "members", value: [member(ada)] })],
          200,
          { members: [{ value: ada.id }] },
        ],
        ["adds and removes", ["PATCH", path, patch(remove, add)], 200, { members: [{ value: grace.id }] }],
        [
          "pushes an empty group",
          ["PATCH", path, patch({ op: "replace", value: { members: [], id, displayName } })],
          200,
          { displayName, members: [] },
        ],
        [
          "replaces the group",
          ["PUT", path, { schemas: [GROUP], id, displayName, members: [member(ada)] }],
          200,
          { displayName, members: [{ value: ada.id }] },
        ],
        ["deletes", ["DELETE", path], 204, {}],
      ].map(emptyIsText),
    );
  });
});

/** Reads an answer without a body as an empty string. */
function emptyIsText(one: unknown): Case {
  const [name, request, status, body] = one as Case;
  return [name, request, status, status === 204 ? ("" as never) : body];
}
