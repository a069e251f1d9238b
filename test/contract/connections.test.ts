import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import {
  buildSchema,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
} from "graphql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hashKey } from "../../src/access/secrets/api-key.js";
import { MODULES } from "../../src/domain/modules.js";
import { SCHEMA_FILE } from "../../src/paths.js";
import { addFactor, addTenantData } from "../support/fixtures.js";
import { argumentError, runSql } from "../support/graph-fixtures.js";
import { copyRows } from "../support/many-rows.js";
import { addMember, signIn, signUp, signUpSuperAdmin, type TestPerson } from "../support/people.js";
import { FOR_SUPER_ADMINS } from "../support/selections.js";
import { type Gateway, makeKey, NOW, startGateway } from "../support/server.js";

// Every list with pages, found in the schema.

type Field = GraphQLField<unknown, unknown>;
interface List {
  readonly name: string;
  /** Type of the parent. */
  readonly type: string;
  /** Fields from Query to the list, all but the last with their arguments. */
  readonly path: readonly string[];
  readonly field: Field;
  /** Required arguments of the list. */
  readonly given: string;
  /** Fields that identify a node. */
  readonly node: string;
}
interface Page {
  readonly edges: { cursor: string; node: unknown }[];
  readonly nodes: unknown[];
  readonly totalCount: number;
  readonly pageInfo: {
    hasNextPage: boolean;
    hasPreviousPage: boolean;
    startCursor: string | null;
    endCursor: string | null;
  };
}

const schema = buildSchema(await readFile(SCHEMA_FILE, "utf8"));
const query = schema.getQueryType() as GraphQLObjectType;
const PAGING = ["first", "after", "last", "before"];

const isConnection = ({ type }: Field) => /Connection$/.test(getNamedType(type).name);

function listOf({ name: type }: GraphQLObjectType, path: readonly string[], field: Field): List {
  const connection = getNamedType(field.type) as GraphQLObjectType;
  const node = getNamedType(connection.getFields()["nodes"]?.type) as GraphQLObjectType;
  const fields = Object.values(node.getFields());
  const leaves = fields.filter(({ type, args }) => isLeafType(getNamedType(type)) && args.length === 0);
  const id = leaves.find((leaf) => ["id", "number", "code", "issue"].includes(leaf.name));
  return {
    name: [...path.map((step) => step.replace(/\(.*/, "")), field.name].join("."),
    type,
    path,
    field,
    given: field.args.some(isRequiredArgument) ? "year: 2025" : "",
    node: id?.name ?? leaves.map(({ name }) => name).join(" "),
  };
}

/** Finds the lists of a type's fields and, two levels deep, of their fields. */
const listsBelow = (type: GraphQLObjectType, path: readonly string[]): List[] =>
  Object.values(type.getFields()).flatMap((field) => {
    if (isConnection(field)) return [listOf(type, path, field)];
    const below = getNamedType(field.type);
    if (!isObjectType(below) || isListType(getNullableType(field.type)) || path.length === 2) return [];
    if (field.args.some((argument) => isRequiredArgument(argument) && argument.name !== "id")) return [];
    const given = field.args.some(({ name }) => name === "id") ? '(id: "ID")' : "";
    return listsBelow(below, [...path, `${field.name}${given}`]);
  });
/** Lists with pages, but each connection of a type once. */
const lists = [
  ...new Map(
    listsBelow(query, [])
      .toReversed()
      .map((list) => [`${list.type}.${list.field.name}`, list]),
  ).values(),
];

let gateway: Gateway;
/** Owners of two organizations with equal rows, who verify each other's requests. */
let owners: readonly [TestPerson, TestPerson];
let superAdmin: TestPerson;
let facilityId: string;
/** Ids of the objects that have lists of their own, by field of Query and owner. */
const idsOf = new Map<TestPerson, Record<string, string>>();

const callerOf = ({ name, path }: List, owner = owners[0]) =>
  FOR_SUPER_ADMINS.includes(path[0] ?? name) ? superAdmin : owner;

beforeAll(async () => {
  gateway = await startGateway({ env: { SESSION_REQUESTS_PER_HOUR: "999999999" } });
  const { prisma } = gateway.database;
  await addFactor(gateway.database, null);
  owners = [await addOwner("ALPHA", 4_242_424), await addOwner("BRAVO", 7_373_737)];
  for (const [owner, other] of [owners, owners.toReversed() as [TestPerson, TestPerson]]) {
    const organizationId = owner.organization.id;
    const { endpointId } = await prisma.webhookDelivery.findFirstOrThrow({ where: { organizationId } });
    await prisma.webhookDelivery.updateMany({ where: { organizationId }, data: { endpointId } });
    await prisma.verificationRequest.updateMany({
      where: { organizationId },
      data: {
        status: "in_review",
        opinion: null,
        statement: null,
        verifierId: other.user.id,
        verifierOrganizationId: other.organization.id,
        verifierAcceptedAt: NOW,
        verifierConfirmedAt: NOW,
      },
    });
  }
  for (const [owner, other] of [owners, owners.toReversed() as [TestPerson, TestPerson]]) {
    const { endpointId: webhookEndpoint } = await prisma.webhookDelivery.findFirstOrThrow({
      where: { organizationId: owner.organization.id },
    });
    const { requestId } = await prisma.verificationSnapshot.findFirstOrThrow({
      where: { organizationId: other.organization.id },
    });
    idsOf.set(owner, { webhookEndpoint, verificationRequest: requestId });
  }
  ({ id: facilityId } = await prisma.facility.findFirstOrThrow({
    where: { organizationId: owners[0].organization.id },
  }));
  superAdmin = await signUpSuperAdmin(gateway);
  for (let made = 0; made < 22; made += 1)
    await prisma.announcement.create({ data: { title: "A", body: "B", level: "info", startsAt: NOW } });
});
afterAll(() => gateway.stop());

/** Adds an organization with at least nine rows in each list; returns its owner. */
async function addOwner(name: string, digits: number): Promise<TestPerson> {
  const { database } = gateway;
  const { prisma } = database;
  await addTenantData(database, { name, digits, framework: "CDP" });
  const slug = name.toLowerCase();
  const owner = await signUp(gateway, { organization: slug, factorAt: NOW });
  const { user, organization } = owner;
  const organizationId = organization.id;
  const own = { organizationId, userId: user.id };
  await makeKey(database, slug);
  await prisma.notification.create({
    data: {
      ...own,
      key: "x",
      category: "credit",
      severity: "low",
      title: "T",
      body: "",
      inApp: true,
      createdAt: NOW,
    },
  });
  await prisma.conversation.create({
    data: { ...own, module: MODULES[0], createdAt: NOW, lastMessageAt: NOW },
  });
  await prisma.invitation.create({
    data: {
      organizationId,
      email: "i@example.org",
      role: "viewer",
      tokenHash: hashKey(randomUUID(), undefined),
      expiresAt: new Date(NOW.getTime() + 1e9),
    },
  });
  await copyRows(database, organizationId, { most: 22, least: 8 });
  for (let made = 0; made < 9; made += 1) {
    const basis =
      made === 0
        ? { basis: "reported" as const }
        : { basis: "restated" as const, reasons: ["acquisition" as const] };
    await prisma.inventoryIssue.create({
      data: {
        organizationId,
        year: 2025,
        issue: made + 1,
        ...basis,
        statement: "{}",
        digest: "0".repeat(64),
        issuedAt: NOW,
      },
    });
    await addMember(gateway, slug, "viewer");
    await signIn(gateway, user, organization);
  }
  // A month of nine facilities is unusual.
  await runSql(
    database,
    `INSERT INTO emission_records (organization_id, recorded_on, scope, facility_id, co2e_tonnes)
     SELECT $1::uuid, '2026-10-10'::date - months * 30, 'scope_3', id, CASE months WHEN 0 THEN 1000 ELSE 10 END
     FROM (SELECT id FROM facilities WHERE organization_id = $1::uuid LIMIT 9) AS facilities, generate_series(0, 6) AS months`,
    organizationId,
  );
  return owner;
}

/** Writes one of several lists of an operation, with these arguments. */
function fieldOf(
  { path, field, given, node }: List,
  alias: string,
  args: string,
  { owner, isWhole }: { readonly owner: TestPerson; readonly isWhole: boolean },
): string {
  const written = [given, args].filter((part) => part !== "").join(", ");
  const whole = `edges { cursor node { ${node} } } nodes { ${node} } totalCount
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }`;
  const selection = isWhole ? whole : "pageInfo { hasNextPage }";
  const page = `${field.name}${written && `(${written})`} { ${selection} }`;
  const ids = idsOf.get(owner);
  const steps = path.map((step) => step.replace("ID", ids?.[step.replace(/\(.*/, "")] ?? ""));
  return `${alias}: ${[...steps, page].join(" { ")}${" }".repeat(steps.length)}`;
}

/** Requests pages of a list, one for each of these arguments; each is a page or a message. */
async function pagesOf(
  list: List,
  pages: readonly string[],
  { owner = owners[0], isWhole = true } = {},
): Promise<(Page | string)[]> {
  const found: (Page | string)[] = [];
  // Within the limits of an operation.
  const count = isWhole ? 8 : 20;
  for (let start = 0; start < pages.length; start += count) {
    const some = pages.slice(start, start + count);
    const fields = some.map((args, index) => fieldOf(list, `a${index}`, args, { owner, isWhole }));
    const { status, body } = await callerOf(list, owner).graphql(`{ ${fields.join("\n")} }`);
    expect([list.name, status, body]).toEqual([
      list.name,
      200,
      expect.objectContaining({ data: expect.anything() }),
    ]);
    found.push(
      ...some.map((_args, index): Page | string => {
        const alias = `a${index}`;
        const error = body.errors?.find(({ path }) => path?.[0] === alias);
        const names = list.path.slice(1).map((step) => step.replace(/\(.*/, ""));
        const at = list.path.length > 0 ? [alias, ...names, list.field.name] : [alias];
        if (error) {
          expect(error).toEqual(argumentError(error.extensions.argument, at, error.message));
          return error.message;
        }
        return at.reduce((value, step) => value[step], body.data);
      }),
    );
  }
  return found;
}

/** Reads a page, and checks that its edges, nodes and pageInfo agree. */
async function pageOf(list: List, args: string, owner = owners[0]): Promise<Page> {
  const [page] = (await pagesOf(list, [args], { owner })) as [Page];
  expect([list.name, args, page]).toEqual([list.name, args, expect.any(Object)]);
  const { edges, nodes, pageInfo } = page;
  expect(edges.map(({ node }) => node)).toEqual(nodes);
  expect([pageInfo.startCursor, pageInfo.endCursor]).toEqual([
    edges[0]?.cursor ?? null,
    edges.at(-1)?.cursor ?? null,
  ]);
  return page;
}

/** Reads all pages, forward or backward. */
async function walk(list: List, size: number, isForward: boolean): Promise<unknown[]> {
  const read: unknown[] = [];
  let place = "";
  for (let pages = 0; pages < 300; pages += 1) {
    const { nodes, pageInfo } = await pageOf(list, `${isForward ? "first" : "last"}: ${size}${place}`);
    read.splice(isForward ? read.length : 0, 0, ...nodes);
    // A cursor implies that its own item exists on the other side of the page.
    expect(isForward ? pageInfo.hasPreviousPage : pageInfo.hasNextPage).toBe(pages > 0);
    if (!(isForward ? pageInfo.hasNextPage : pageInfo.hasPreviousPage)) return read;
    expect(nodes).toHaveLength(size);
    place = isForward ? `, after: "${pageInfo.endCursor}"` : `, before: "${pageInfo.startCursor}"`;
  }
  throw new Error(`${list.name} does not end`);
}

const SIZE = "expected 1 to 100, got";
const REFUSED =
  "expected a cursor of this list, got one that was altered, or belongs to another filter, order or organization";

/** Expects that a list refuses cursors, each as `after` and as `before`. */
async function expectRefused(list: List, cursors: readonly string[], filters = [""], owner = owners[0]) {
  const pages = cursors.flatMap((cursor) =>
    filters.flatMap((filter) =>
      ["after", "before"].map((name) => `${name}: ${JSON.stringify(cursor)}, first: 1 ${filter}`),
    ),
  );
  const messages = pages.map((page) => `${page.slice(0, page.indexOf(":"))}: ${REFUSED}`);
  expect([list.name, pages, await pagesOf(list, pages, { owner, isWhole: false })]).toEqual([
    list.name,
    pages,
    messages,
  ]);
}

const cursors = new Map<List, string>();
async function secondCursor(list: List): Promise<string> {
  const cursor = cursors.get(list) ?? (await pageOf(list, "first: 2")).edges[1]?.cursor ?? "";
  cursors.set(list, cursor);
  return cursor;
}

/** Values of filters, by type or by name. */
const SAMPLES: Readonly<Record<string, string>> = {
  Int: "2026",
  Boolean: "true",
  Date: '"2026-11-01"',
  DateTime: '"2026-11-01T00:00:00Z"',
  action: '"api_key.created"',
  targetType: '"api_key"',
};

/** Returns a value of a filter. */
function sampleOf(type: GraphQLInputType): string {
  const nullable = getNullableType(type);
  if (isListType(nullable)) return `[${sampleOf(nullable.ofType)}]`;
  if (isEnumType(nullable)) return nullable.getValues()[0]?.name ?? "";
  if (isInputObjectType(nullable))
    return `{ ${Object.values(nullable.getFields())
      .map((field) => `${field.name}: ${sampleOf(field.type)}`)
      .join(", ")} }`;
  return SAMPLES[nullable.name] ?? (nullable.name === "UUID" ? `"${facilityId}"` : '"kg"');
}

/** Lists the values of a list's arguments that filter or sort it, and those that restrict nothing. */
const filtersOf = ({ field }: List) =>
  field.args
    .filter(({ name }) => !PAGING.includes(name) && name !== "year")
    .map(({ name, type, defaultValue }) => {
      const input = getNullableType(type);
      const members = isInputObjectType(input) ? Object.values(input.getFields()) : [];
      const other = isEnumType(input) && input.getValues().find(({ value }) => value !== defaultValue);
      if (other) return { full: [`${name}: ${other.name}`], empty: [] };
      if (members.length === 0 || members.some(isRequiredInputField))
        return { full: [`${name}: ${sampleOf(type)}`], empty: [] };
      return {
        // Codes must be those of facilities.
        full: members
          .filter((member) => member.name !== "facilityCodes")
          .map((member) => `${name}: { ${member.name}: ${SAMPLES[member.name] ?? sampleOf(member.type)} }`),
        empty: [
          `${name}: null`,
          `${name}: {}`,
          ...members.map((member) => `${name}: { ${member.name}: null }`),
        ],
      };
    });

describe.each(lists)("the pages of $name", (list) => {
  it("contain the whole list in order, forward and backward, at any size", async () => {
    const { nodes: all, edges, totalCount } = await pageOf(list, "first: 100");
    expect(totalCount).toBeGreaterThan(8);
    expect(new Set(all.map((node) => JSON.stringify(node))).size).toBe(Math.min(totalCount, 100));
    // Pages of one, from every position.
    const pages = edges
      .slice(0, 24)
      .flatMap(({ cursor }, index) => [
        [`first: 1, after: "${cursor}"`, index + 1, index + 2 < totalCount] as const,
        [`last: 1, before: "${cursor}"`, index - 1, index - 1 > 0] as const,
      ]);
    const read = await pagesOf(
      list,
      pages.map(([args]) => args),
    );
    for (const [index, [args, place, hasMore]] of pages.entries()) {
      const { nodes, pageInfo, ...page } = read[index] as Page;
      expect(page.totalCount).toBe(totalCount);
      const isForward = args.startsWith("first");
      expect([args, nodes, isForward ? pageInfo.hasNextPage : pageInfo.hasPreviousPage]).toEqual([
        args,
        place in all ? [all[place]] : [],
        hasMore,
      ]);
    }
    for (const size of [7, 100]) {
      const forward = await walk(list, size, true);
      expect([size, forward.slice(0, 100), forward.length]).toEqual([size, all, totalCount]);
      expect([size, await walk(list, size, false)]).toEqual([size, forward]);
    }
  });

  it("have 20 items by default, and say at both ends if there are more", async () => {
    const { nodes: all, totalCount, edges } = await pageOf(list, "first: 100");
    for (const args of ["", "first: null, last: null"]) {
      const { nodes, pageInfo } = await pageOf(list, args);
      expect(nodes).toEqual(all.slice(0, 20));
      expect(pageInfo).toMatchObject({ hasPreviousPage: false, hasNextPage: totalCount > 20 });
    }
    if (totalCount > 100) return;
    expect(await pageOf(list, `after: "${edges.at(-1)?.cursor}"`)).toMatchObject({
      nodes: [],
      pageInfo: { hasNextPage: false, hasPreviousPage: true, startCursor: null, endCursor: null },
    });
  });

  it("respect both after and before", async () => {
    const { nodes: all, edges } = await pageOf(list, "first: 9");
    const between = async (page: string, after: number, before: number) => {
      const place = `after: "${edges[after]?.cursor}", before: "${edges[before]?.cursor}"`;
      const { nodes, pageInfo } = await pageOf(list, `${page}, ${place}`);
      return [nodes, pageInfo.hasPreviousPage, pageInfo.hasNextPage];
    };
    // By the specification: whether the list between them continues in the direction of reading.
    expect(await between("first: 4", 1, 7)).toEqual([all.slice(2, 6), true, true]);
    expect(await between("first: 5", 1, 7)).toEqual([all.slice(2, 7), true, false]);
    expect(await between("last: 5", 1, 7)).toEqual([all.slice(2, 7), false, true]);
    expect(await between("last: 4", 1, 7)).toEqual([all.slice(3, 7), true, true]);
    for (const [after, before] of [
      [4, 5],
      [4, 4],
      [7, 2],
    ] as const)
      expect((await between("first: 5", after, before))[0]).toEqual([]);
  });

  it("are refused by the argument's name if they are out of bounds", async () => {
    const both = "last: expected either first or last, got both";
    expect(
      await pagesOf(list, [
        "first: 0",
        "first: -1",
        "first: 101",
        "last: 0",
        "last: 101",
        "first: 5, last: 5",
        "first: 0, last: 0",
      ]),
    ).toEqual([
      `first: ${SIZE} 0`,
      `first: ${SIZE} -1`,
      `first: ${SIZE} 101`,
      `last: ${SIZE} 0`,
      `last: ${SIZE} 101`,
      both,
      both,
    ]);
  });

  it("are refused for a cursor that was altered, or is none", async () => {
    const cursor = await secondCursor(list);
    const places = [0, 1, Math.floor(cursor.length / 3), Math.floor(cursor.length / 2), cursor.length - 1];
    const altered = places.flatMap((place) =>
      [cursor[place] === "A" ? "B" : "A", cursor[place] === "_" ? "-" : "_"].map(
        (letter) => `${cursor.slice(0, place)}${letter}${cursor.slice(place + 1)}`,
      ),
    );
    const cut = [
      cursor.slice(0, -1),
      cursor.slice(1),
      cursor.slice(0, 20),
      `${cursor}A`,
      `${cursor}=`,
      ` ${cursor}`,
    ];
    const values = [[], {}, null, [null, 1], ["x", "y"], ["' OR 1 = 1"]];
    const encoded = values.map((value) => Buffer.from(JSON.stringify(value)).toString("base64url"));
    await expectRefused(list, [...altered, ...cut, "", " ", "0", "null", "=", "🌍", ...encoded]);
  });

  it("are refused for a cursor of another organization or of another list", async () => {
    const cursor = await secondCursor(list);
    if (callerOf(list) !== superAdmin) await expectRefused(list, [cursor], [""], owners[1]);
    const others: string[] = [];
    for (const other of lists) if (other !== list) others.push(await secondCursor(other));
    await expectRefused(list, others);
  });

  it("are refused for a cursor of another filter, unless the filter restricts nothing", async () => {
    const cursor = await secondCursor(list);
    const rest = (await pageOf(list, `after: "${cursor}"`)).nodes;
    for (const { full, empty } of filtersOf(list)) {
      // The audit trail tells null from nothing.
      for (const args of list.name === "auditLog.entries" ? [] : empty)
        expect([args, (await pageOf(list, `after: "${cursor}", ${args}`)).nodes]).toEqual([args, rest]);
      await expectRefused(list, [cursor], full);
    }
  });
});
