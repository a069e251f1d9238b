import { createHash, randomUUID } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FRAMEWORKS } from "../../src/domain/enums.js";
import {
  addBatch,
  addDeadline,
  addFacility,
  addPrice,
  addRecord,
  addRetirement,
} from "../support/fixtures.js";
import { argumentError, ORGANIZATION, runSql, selectColumn } from "../support/graph-fixtures.js";
import { type Gateway, NOW, startGateway } from "../support/server.js";
import { newTenant } from "./tenant.js";

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

type Tenant = Awaited<ReturnType<typeof newTenant>>;

/** A connection of the graph, with the same list in SQL. */
interface List {
  readonly name: string;
  readonly root: string;
  readonly field: string;
  /** Arguments other than the paging arguments. */
  readonly argument: string;
  /** Field that identifies a node. */
  readonly node: string;
  readonly path: readonly string[];
  /** SQL for that field of all rows, in order; $1 is the organization's slug. */
  readonly all: string;
  /** Adds a row anywhere in the list, often with the same day or type as others. */
  readonly add: (slug: string, index: number) => Promise<unknown>;
  /** SQL that removes the row identified by $2. */
  readonly remove: string;
}

const DAYS = ["2026-11-20", "2026-03-01", "2026-02-28", "2025-12-31", "2025-11-21"] as const;
const dayOf = (index: number) => DAYS[index % DAYS.length] ?? DAYS[0];
const database = () => gateway.database;

const records = (order: "ASC" | "DESC"): List => ({
  name: `records, ${order}`,
  root: "emissions",
  field: "records",
  argument: `order: ${order}`,
  node: "id",
  path: ["id"],
  all: `SELECT id::text FROM emission_records
    WHERE organization_id = ${ORGANIZATION} AND recorded_on BETWEEN '2025-11-21' AND '2026-11-20'
    ORDER BY recorded_on ${order}, id ${order}`,
  add: (slug, index) => addRecord(database(), slug, { recordedOn: dayOf(index) }),
  remove: `DELETE FROM emission_records WHERE organization_id = ${ORGANIZATION} AND id = $2::uuid`,
});

const LISTS: readonly List[] = [
  records("DESC"),
  records("ASC"),
  {
    name: "facilities",
    root: "emissions",
    field: "facilities",
    argument: "",
    node: "facility { code }",
    path: ["facility", "code"],
    all: `SELECT code FROM facilities WHERE organization_id = ${ORGANIZATION} ORDER BY code COLLATE "C"`,
    // Codes, and so cursors, may contain non-ASCII letters, spaces and quotation marks.
    add: (slug, index) => addFacility(database(), slug, { code: `${"aBé\"' ,"[index % 7]}${randomUUID()}` }),
    remove: `DELETE FROM facilities WHERE organization_id = ${ORGANIZATION} AND code = $2`,
  },
  {
    name: "deadlines",
    root: "compliance",
    field: "deadlines",
    argument: "",
    node: "id",
    path: ["id"],
    all: `SELECT id::text FROM compliance_deadlines WHERE organization_id = ${ORGANIZATION}
      ORDER BY due_date, framework, title COLLATE "C"`,
    add: (slug, index) =>
      addDeadline(database(), slug, {
        dueDate: dayOf(index),
        framework: FRAMEWORKS[index % 3] ?? "CCTS",
        title: `${index % 2 ? "Bericht" : "annual report"} ${randomUUID()}`,
      }),
    remove: `DELETE FROM compliance_deadlines WHERE organization_id = ${ORGANIZATION} AND id = $2::uuid`,
  },
  {
    name: "batches",
    root: "credits",
    field: "batches",
    argument: "",
    node: "id",
    path: ["id"],
    all: `SELECT id::text FROM credit_batches WHERE organization_id = ${ORGANIZATION}
      ORDER BY credit_type COLLATE "C", reference COLLATE "C"`,
    add: (slug, index) =>
      addBatch(database(), slug, { creditType: ["VCS", "vcs", "EUA"][index % 3] ?? "VCS" }),
    remove: `DELETE FROM credit_batches WHERE organization_id = ${ORGANIZATION} AND id = $2::uuid`,
  },
  {
    name: "retirements",
    root: "credits",
    field: "retirements",
    argument: "",
    node: "id",
    path: ["id"],
    all: `SELECT id::text FROM credit_retirements WHERE organization_id = ${ORGANIZATION}
      ORDER BY retired_on DESC, reference COLLATE "C" DESC`,
    add: async (slug, index) =>
      addRetirement(database(), await addBatch(database(), slug), { retiredOn: dayOf(index) }),
    remove: `DELETE FROM credit_retirements WHERE organization_id = ${ORGANIZATION} AND id = $2::uuid`,
  },
  {
    name: "instruments",
    root: "market",
    field: "instruments",
    argument: "",
    node: "exchange",
    path: ["exchange"],
    all: `SELECT exchange FROM market_prices WHERE organization_id = ${ORGANIZATION}
      GROUP BY credit_type, exchange ORDER BY credit_type COLLATE "C", exchange COLLATE "C"`,
    // Several prices of one instrument are one item.
    add: async (slug, index) => {
      const instrument = { creditType: ["VCS", "EUA"][index % 2] ?? "VCS", exchange: `X ${randomUUID()}` };
      await addPrice(database(), slug, { ...instrument, asOf: "2026-11-17" });
      await addPrice(database(), slug, { ...instrument, asOf: "2026-11-18" });
    },
    remove: `DELETE FROM market_prices WHERE organization_id = ${ORGANIZATION} AND exchange = $2`,
  },
];

interface Page {
  readonly items: readonly string[];
  readonly cursors: readonly string[];
  readonly pageInfo: {
    hasNextPage: boolean;
    hasPreviousPage: boolean;
    startCursor: string | null;
    endCursor: string | null;
  };
}

const queryOf = ({ root, field, argument, node }: List, page: string) => {
  const written = [argument, page].filter((part) => part !== "").join(", ");
  const fields = `edges { cursor node { ${node} } } nodes { ${node} } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }`;
  return `{ ${root} { list: ${field}${written && `(${written})`} { ${fields} } } }`;
};

// biome-ignore lint/suspicious/noExplicitAny: it follows a path of names
const itemOf = ({ path }: List, node: any): string => path.reduce((at, name) => at[name], node);

/** Reads a page, and checks that its edges, nodes and pageInfo agree. */
async function pageOf(tenant: Tenant, list: List, page: string): Promise<Page> {
  const data = await tenant.dataOf(queryOf(list, page));
  const { edges, nodes, pageInfo } = data[list.root].list;
  expect(edges.map(({ node }: { node: unknown }) => node)).toEqual(nodes);
  const cursors: string[] = edges.map(({ cursor }: { cursor: string }) => cursor);
  expect([pageInfo.startCursor, pageInfo.endCursor]).toEqual([cursors[0] ?? null, cursors.at(-1) ?? null]);
  return { items: nodes.map((node: unknown) => itemOf(list, node)), cursors, pageInfo };
}

/** Creates a tenant with rows in a list, and another tenant with rows in the same list. */
async function tenantWith(list: List, count: number): Promise<Tenant> {
  const tenant = await newTenant(gateway);
  const other = await newTenant(gateway);
  for (let index = 0; index < count; index += 1) await list.add(tenant.slug, index);
  for (let index = 0; index < 3; index += 1) await list.add(other.slug, index);
  return tenant;
}

const allOf = (list: List, { slug }: Tenant) => selectColumn(gateway.database, list.all, slug);

/** Reads all pages, forward or backward. Calls `between` between pages, with the items so far. */
async function walk(
  tenant: Tenant,
  list: List,
  size: number,
  direction: "forward" | "backward",
  between: (read: readonly string[]) => Promise<unknown> = async () => undefined,
): Promise<string[]> {
  const isForward = direction === "forward";
  const read: string[] = [];
  let place = "";
  for (let pages = 0; pages < 100; pages += 1) {
    const { items, pageInfo } = await pageOf(
      tenant,
      list,
      `${isForward ? "first" : "last"}: ${size}${place}`,
    );
    if (isForward) read.push(...items);
    else read.unshift(...items);
    expect(items.length).toBeLessThanOrEqual(size);
    // A cursor implies that its own item exists on the other side of the page.
    expect(isForward ? pageInfo.hasPreviousPage : pageInfo.hasNextPage).toBe(pages > 0);
    if (!(isForward ? pageInfo.hasNextPage : pageInfo.hasPreviousPage)) return read;
    expect(items).toHaveLength(size);
    place = isForward ? `, after: "${pageInfo.endCursor}"` : `, before: "${pageInfo.startCursor}"`;
    await between(read);
  }
  throw new Error("the list does not end");
}

describe.each(LISTS)("the pages of $name", (list) => {
  it("contain the rows in the order of SQL", async () => {
    const tenant = await tenantWith(list, 23);
    expect((await pageOf(tenant, list, "first: 100")).items).toEqual(await allOf(list, tenant));
  });

  it.each(["forward", "backward"] as const)(
    "neither repeat nor skip remaining rows while others are added and removed: %s",
    async (direction) => {
      const tenant = await tenantWith(list, 24);
      const removed = new Set<string>();
      const remove = async (item: string | undefined) => {
        if (item === undefined) throw new Error("there is nothing to remove");
        removed.add(item);
        await runSql(gateway.database, list.remove, tenant.slug, item);
      };
      const before = await allOf(list, tenant);
      let turn = 0;
      const read = await walk(tenant, list, 5, direction, async (soFar) => {
        turn += 1;
        // The cursor's own row, one that was already read, and one that was not.
        if (turn <= 3) {
          const ahead = before.filter((item) => !soFar.includes(item) && !removed.has(item));
          await remove(direction === "forward" ? soFar.at(-1) : soFar[0]);
          await remove(direction === "forward" ? soFar.at(-3) : soFar[2]);
          await remove(ahead[Math.floor(ahead.length / 2)]);
          for (let index = 0; index < 7; index += 1) await list.add(tenant.slug, turn + index);
        }
      });

      expect(turn).toBeGreaterThan(3);
      expect(removed.size).toBe(9);
      expect(new Set(read).size).toBe(read.length);
      const throughout = before.filter((item) => !removed.has(item));
      expect(read.filter((item) => throughout.includes(item))).toEqual(throughout);
      // The remaining rows keep the list's order, with new ones among them.
      const after = await allOf(list, tenant);
      expect(read.filter((item) => after.includes(item))).toEqual(
        after.filter((item) => read.includes(item)),
      );
      expect(read.some((item) => !before.includes(item))).toBe(true);
    },
  );
});

describe("a list of many rows of one day", () => {
  it("can be read completely while a writer adds and removes rows of that day", async () => {
    const list = records("DESC");
    const tenant = await newTenant(gateway);
    await runSql(
      gateway.database,
      `INSERT INTO emission_records (organization_id, recorded_on, scope, co2e_tonnes)
       SELECT ${ORGANIZATION}, '2026-11-01', 'scope_1', 1 FROM generate_series(1, 101) AS n`,
      tenant.slug,
    );
    const throughout = await allOf(list, tenant);

    let isReading = true;
    let written = 0;
    const write = async () => {
      while (isReading) {
        // The embedded database answers without yielding to the event loop, which the gateway needs.
        await setImmediate();
        const { id } = await addRecord(gateway.database, tenant.slug, { recordedOn: "2026-11-01" });
        written += 1;
        if (written % 2 === 0) await runSql(gateway.database, list.remove, tenant.slug, id);
      }
    };
    const writing = write();
    const reads: string[][] = [];
    try {
      do {
        for (const size of [7, 13]) {
          reads.push(await walk(tenant, list, size, "forward"));
          reads.push(await walk(tenant, list, size, "backward"));
        }
      } while (written <= 10);
    } finally {
      isReading = false;
      await writing;
    }

    for (const read of reads) {
      expect(new Set(read).size).toBe(read.length);
      expect(read.filter((id) => throughout.includes(id))).toEqual(throughout);
    }
  });
});

const REFUSED = (argument: string) =>
  `${argument}: expected a cursor of this list, got one that was altered, or belongs to another filter, order or organization`;

/** Expects that a cursor is refused as `after` and as `before`, by name. */
async function expectRefusedCursor({ ask }: Tenant, list: List, cursor: string): Promise<void> {
  for (const argument of ["after", "before"]) {
    const { status, body } = await ask(queryOf(list, `${argument}: ${JSON.stringify(cursor)}`));
    expect([cursor, status, body]).toEqual([
      cursor,
      200,
      {
        data: { [list.root]: null },
        errors: [argumentError(argument, [list.root, "list"], REFUSED(argument))],
      },
    ]);
  }
}

describe("a cursor forged by someone who knows the format", () => {
  it.each([
    ["deadlines", ["2026-13-01", "CCTS", "a"]],
    ["deadlines", ["+275760-09-13", "CCTS", "a"]],
    ["deadlines", ["2026-11-20", "NONE", "a"]],
    ["deadlines", ["2026-11-20", "CCTS", "a\0b"]],
    ["deadlines", ["2026-11-20", "CCTS"]],
    ["deadlines", ["2026-11-20", "CCTS", "a", "b"]],
    ["facilities", ["\0"]],
    ["facilities", []],
  ])("is refused if no row of the list can have its position: %s %j", async (name, place) => {
    const list = LISTS.find((one) => one.name === name) as List;
    const tenant = await tenantWith(list, 1);
    const { id } = await database().prisma.organization.findUniqueOrThrow({ where: { slug: tenant.slug } });
    const parameters = name === "facilities" ? [] : [{ frameworks: null, statuses: null, dueDate: null }];
    const forge = (...key: string[]) => {
      const digest = createHash("sha256").update(JSON.stringify([key, [name, id, ...parameters]]));
      return Buffer.from(JSON.stringify([digest.digest("base64url").slice(0, 16), ...key])).toString(
        "base64url",
      );
    };
    const possible = name === "facilities" ? ["0"] : ["2000-01-01", "CCTS", "0"];
    const { items } = await pageOf(tenant, list, `after: "${forge(...possible)}"`);
    expect(items).toEqual(await allOf(list, tenant));
    await expectRefusedCursor(tenant, list, forge(...place));
  });
});

describe("a cursor of records", () => {
  it("is refused for emissions of another range", async () => {
    const { ask, dataOf, slug } = await newTenant(gateway);
    for (const _each of [1, 2]) await addRecord(gateway.database, slug);
    const query = (range: string, page: string) =>
      `{ emissions${range} { list: records(${page}) { edges { cursor } } } }`;
    const [year, month] = [
      '(range: { from: "2026-01-01", to: "2026-12-31" })',
      '(range: { from: "2026-11-01", to: "2026-11-30" })',
    ];
    for (const [made, used] of [
      ["", year],
      [year, month],
      [month, ""],
    ] as const) {
      const { edges } = (await dataOf(query(made, "first: 1"))).emissions.list;
      const again = await dataOf(query(made, `after: "${edges[0].cursor}"`));
      expect(again.emissions.list.edges).toHaveLength(1);
      const { body } = await ask(query(used, `after: "${edges[0].cursor}"`));
      expect(body).toEqual({
        data: { emissions: null },
        errors: [argumentError("after", ["emissions", "list"], REFUSED("after"))],
      });
    }
  });

  it("of the last 12 months remains valid after midnight, when the window moves", async () => {
    const { dataOf, slug } = await newTenant(gateway);
    for (const recordedOn of ["2025-11-21", "2026-11-18", "2026-11-19"]) {
      await addRecord(gateway.database, slug, { recordedOn });
    }
    const query = (page: string) =>
      `{ emissions { list: records(${page}) { nodes { recordedOn } edges { cursor } } } }`;
    const { edges } = (await dataOf(query("first: 1"))).emissions.list;
    gateway.setNow(new Date("2026-11-21T00:00:00.001Z"));
    const { nodes } = (await dataOf(query(`after: "${edges[0].cursor}"`))).emissions.list;
    gateway.setNow(NOW);
    expect(nodes).toEqual([{ recordedOn: "2026-11-18" }]);
  });
});
