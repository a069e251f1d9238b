import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { use, useGateway } from "../support/use.js";
import {
  expectFault,
  type Fault,
  GROUP,
  type List,
  openDirectory,
  PATCH,
  type Resource,
  USER,
} from "./directory.js";

const CORE = "urn:ietf:params:scim:schemas:core:2.0";
const ENTERPRISE = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";

let user: Resource;
let group: Resource;
const gateway = useGateway();
const directory = use(() => openDirectory(gateway));
beforeAll(async () => {
  user = await directory.addUser({ displayName: "Ada" });
  group = await directory.addGroup([user]);
});

/** Lists the resources with their paths and types. */
const resources = () =>
  [
    ["User", `/Users/${user.id}`],
    ["Group", `/Groups/${group.id}`],
  ] as const;

interface Described {
  readonly name: string;
  readonly type: string;
  readonly multiValued: boolean;
  readonly subAttributes?: readonly Described[];
}

describe("RFC 7643", () => {
  it("3: resources have schemas, an id and meta, and only attributes of their schema", async () => {
    for (const [type, path] of resources()) {
      const { body } = await directory.scim(path);
      const { body: schema } = await directory.scim<{ attributes: Described[] }>(`/Schemas/${CORE}:${type}`);
      expect(body).toMatchObject({
        schemas: [`${CORE}:${type}`],
        id: expect.any(String),
        meta: {
          resourceType: type,
          created: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
          lastModified: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
          location: expect.stringMatching(new RegExp(`/scim/v2${path}$`)),
          version: expect.stringMatching(/^W\/"\d+"$/),
        },
      });
      const known = new Map(schema.attributes.map((attribute) => [attribute.name, attribute]));
      for (const [name, value] of Object.entries(body)) {
        if (["schemas", "id", "externalId", "meta"].includes(name)) continue;
        const attribute = known.get(name);
        expect([name, attribute?.multiValued]).toEqual([name, Array.isArray(value)]);
        const items = attribute?.type === "complex" ? [value].flat() : [];
        const parts = attribute?.subAttributes?.map((part) => part.name) ?? [];
        for (const item of items) expect(parts).toEqual(expect.arrayContaining(Object.keys(item as object)));
      }
    }
  });

  it("5 to 7: the service describes itself, its types and their schemas", async () => {
    const provider = await directory.scim<Record<string, unknown>>("/ServiceProviderConfig");
    expect(provider.body).toMatchObject({
      schemas: [`${CORE}:ServiceProviderConfig`],
      authenticationSchemes: [{ type: "oauthbearertoken" }],
      patch: { supported: true },
      bulk: { supported: false },
      filter: { supported: true, maxResults: 200 },
      sort: { supported: false },
      changePassword: { supported: false },
      etag: { supported: true },
    });
    const { body: types } = await directory.scim<List>("/ResourceTypes");
    expect(types.Resources).toMatchObject([
      {
        id: "User",
        endpoint: "/Users",
        schema: USER,
        schemaExtensions: [{ schema: ENTERPRISE, required: false }],
      },
      { id: "Group", endpoint: "/Groups", schema: GROUP, schemaExtensions: [] },
    ]);
    const { body: schemas } = await directory.scim<List>("/Schemas");
    expect(schemas.Resources.map(({ id }) => id)).toEqual([USER, GROUP, ENTERPRISE]);
    for (const { id, attributes } of schemas.Resources as unknown as { id: string; attributes: object[] }[]) {
      for (const attribute of attributes)
        expect([id, attribute]).toMatchObject([
          id,
          {
            name: expect.any(String),
            type: expect.stringMatching(/^(string|boolean|complex)$/),
            multiValued: expect.any(Boolean),
            required: expect.any(Boolean),
            caseExact: expect.any(Boolean),
            mutability: expect.stringMatching(/^(readOnly|readWrite|immutable|writeOnly)$/),
            returned: expect.stringMatching(/^(always|never|default|request)$/),
            uniqueness: expect.stringMatching(/^(none|server|global)$/),
          },
        ]);
    }
  });
});

describe("RFC 7644", () => {
  it("3.1: answers are application/scim+json, and application/json is also accepted", async () => {
    for (const type of [
      "application/scim+json",
      "application/json",
      "application/scim+json; charset=utf-8",
    ]) {
      const { status, headers } = await directory.scim("/Groups", {
        headers: { "Content-Type": type },
        json: { schemas: [GROUP], displayName: randomUUID() },
      });
      expect([status, headers.get("content-type")]).toEqual([201, "application/scim+json; charset=utf-8"]);
    }
    const text = directory.scim("/Groups", {
      method: "POST",
      headers: { "Content-Type": "text/plain" },
      body: "{}",
    });
    await expectFault(text, 415);
  });

  it("3.3: read-only attributes are ignored in requests, and attribute names have any case", async () => {
    const { status, body } = await directory.scim("/Groups", {
      json: {
        SCHEMAS: [GROUP],
        ID: "chosen",
        DISPLAYNAME: `Any ${randomUUID()}`,
        MEMBERS: [{ VALUE: user.id }],
        meta: { version: "chosen" },
      },
    });
    expect([status, body.members.length, body.meta.version]).toEqual([201, 1, 'W/"1"']);
    expect(body.id).not.toBe("chosen");
  });

  it("3.4.2: lists are messages, even if empty or requested with a count of 0", async () => {
    for (const path of ["/Users", "/Groups"]) {
      const list = async (query: string) => (await directory.scim<List & Resource>(`${path}?${query}`)).body;
      const nobody = await list(`filter=${encodeURIComponent(`id eq "${randomUUID()}"`)}`);
      expect(nobody).toEqual({
        schemas: ["urn:ietf:params:scim:api:messages:2.0:ListResponse"],
        totalResults: 0,
        startIndex: 1,
        itemsPerPage: 0,
        Resources: [],
      });
      const counted = await list("count=0");
      expect([counted.totalResults > 0, counted.Resources]).toEqual([true, []]);
      const searched = await directory.scim<List>(`${path}/.search`, {
        json: { schemas: ["urn:ietf:params:scim:api:messages:2.0:SearchRequest"], startIndex: 1, count: 1 },
      });
      expect([searched.status, searched.body.itemsPerPage]).toEqual([200, 1]);
    }
  });

  it("3.4.2.5: attributes are selected by name, path and URN; schemas and id are always included", async () => {
    for (const [type, path] of resources()) {
      const names = async (query: string) => Object.keys((await directory.scim(`${path}?${query}`)).body);
      expect(await names("attributes=displayName")).toEqual(["schemas", "id", "displayName"]);
      expect(await names(`attributes=${CORE}:${type}:DISPLAYNAME,meta.version`)).toEqual([
        "schemas",
        "id",
        "displayName",
        "meta",
      ]);
      expect(await names("attributes=nonsense")).toEqual(["schemas", "id"]);
      expect(await names("excludedAttributes=id,schemas,displayName")).not.toContain("displayName");
      expect(await names("excludedAttributes=id,schemas")).toEqual(expect.arrayContaining(["schemas", "id"]));
    }
  });

  it("3.5: a PUT or PATCH of a missing resource is 404, and one without its message 400", async () => {
    for (const [, path] of resources()) {
      const other = path.replace(/[^/]+$/, randomUUID());
      const json = { userName: directory.address(), displayName: "A" };
      await expectFault(directory.scim(other, { method: "PUT", json }), 404);
      const operation = { op: "replace", path: "displayName", value: "A" };
      await expectFault(directory.patch(other, operation), 404);
      for (const body of [
        {},
        [],
        { Operations: [] },
        { Operations: [7] },
        { Operations: [{ op: "replace" }] },
      ]) {
        const { status } = await directory.scim(path, { method: "PATCH", json: body });
        expect([body, status]).toEqual([body, 400]);
      }
    }
  });

  it("3.5.2: add and replace of one value are the same, and operations apply in order", async () => {
    const { id } = await directory.addGroup([user]);
    const operations = [
      { op: "add", path: "displayName", value: `First ${randomUUID()}` },
      { op: "remove", path: "members" },
      { op: "add", path: "members", value: [{ value: user.id }, { value: user.id.toUpperCase() }] },
      { op: "replace", path: "displayName", value: `Second ${randomUUID()}` },
    ];
    const { status, body } = await directory.patch(`/Groups/${id}`, ...operations);
    expect([status, body.displayName, body.members.length]).toEqual([200, operations[3]?.value, 1]);
  });

  it("3.6: a deleted resource is 404", async () => {
    const { id } = await directory.addGroup();
    const first = await directory.scim(`/Groups/${id}`, { method: "DELETE" });
    expect([first.status, first.body]).toEqual([204, ""]);
    for (const method of ["GET", "DELETE"])
      await expectFault(directory.scim(`/Groups/${id}`, { method }), 404);
  });

  it("3.7, 3.11: bulk requests and /Me do not exist, and unsupported methods are 405", async () => {
    for (const path of ["/Bulk", "/Me", "/", "/Robots", "/constructor", "/ResourceTypes/Robot"])
      expect([path, (await directory.scim(path)).status]).toEqual([path, 404]);
    for (const [method, path] of [
      ["DELETE", "/Groups"],
      ["PUT", "/Users"],
      ["POST", `/Groups/${group.id}`],
      ["GET", "/Groups/.search"],
      ["POST", "/Schemas"],
    ] as const) {
      const { status, headers } = await directory.scim(path, {
        method,
        ...(method !== "GET" && { json: {} }),
      });
      expect([method, path, status, headers.has("allow")]).toEqual([method, path, 405, true]);
    }
  });

  it("3.12: errors have their schema, their status as a string, and say what was expected", async () => {
    const { body } = await directory.scim<Fault>("/Groups?filter=displayName");
    expect(body).toEqual({
      schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"],
      status: "400",
      scimType: "invalidFilter",
      detail: expect.stringContaining("expected"),
    });
  });

  it("3.14: versions are ETags, which requests can send as conditions", async () => {
    for (const [, path] of resources()) {
      const { headers, body } = await directory.scim(path);
      const etag = headers.get("etag") ?? "";
      expect(etag).toBe(body.meta.version);
      const ifNone = (value: string) => directory.scim(path, { headers: { "If-None-Match": value } });
      expect((await ifNone(`W/"0", ${etag}`)).status).toBe(304);
      expect((await ifNone('W/"0"')).status).toBe(200);
      const change = (value: string) =>
        directory.scim(path, {
          method: "PATCH",
          headers: { "If-Match": value },
          json: {
            schemas: [PATCH],
            Operations: [{ op: "replace", path: "externalId", value: randomUUID() }],
          },
        });
      expect((await change('W/"0"')).status).toBe(412);
      const changed = await change(etag);
      expect([changed.status, changed.headers.get("etag") === etag]).toEqual([200, false]);
      expect(changed.headers.get("etag")).toBe(changed.body.meta.version);
      expect((await directory.scim(path, { method: "DELETE", headers: { "If-Match": etag } })).status).toBe(
        412,
      );
    }
  });
});
