import { readFile } from "node:fs/promises";
import {
  buildSchema,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isLeafType,
  isListType,
} from "graphql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadSample } from "../../src/actions/bundle/sample.js";
import { snakeCase } from "../../src/domain/texts/snake-case.js";
import { TABLES } from "../../src/generated/tables.js";
import { SAMPLE_FOLDER, SCHEMA_FILE } from "../../src/paths.js";
import { largestOf } from "../support/largest-inputs.js";
import { addMember, signUpSuperAdmin, type TestPerson } from "../support/people.js";
import { type Gateway, NOW, startGateway } from "../support/server.js";

const schema = buildSchema(await readFile(SCHEMA_FILE, "utf8"));
const mutations = Object.values(schema.getMutationType()?.getFields() ?? {});

/** Valid values of inputs that their types and descriptions do not determine, by name; null to omit them. */
const VALID: Readonly<Record<string, unknown>> = {
  "createEmissionRecords.activity": null,
  "updateEmissionRecord.activity": null,
  "claimEnergy.facilityId": null,
  audienceValues: "free",
  baseYear: 2025,
  domain: "example.com",
  electricityMarket: "GB",
  endsAt: "2027-12-01T00:00:00Z",
  "updateFacility.entity": null,
  equityShare: "0.5",
  financialYear: "2025-26",
  "saveEntity.from": "2025-01",
  "updateWebhookEndpoint.from": null,
  fixedYear: null,
  fromYear: 2025,
  "createEmissionFactor.gas": "CO2e",
  inventory: null,
  "issueInventory.basis": "REPORTED",
  issuer: "https://93.184.215.14",
  line: "PURCHASED_ELECTRICITY",
  market: "GB",
  overlapHours: 24,
  parent: null,
  reasons: null,
  recalculationThresholdPercent: "5",
  activityUncertaintyPercent: "5",
  factorUncertaintyPercent: "5",
  reductionPercent: "5",
  targetValue: null,
  roleMap: {},
  "createServiceAccount.scopes": "read:emissions",
  "updateServiceAccount.scopes": "read:emissions",
  sourceYear: 2026,
  "updateDeadline.status": "COMPLETED",
  "updateDeadline.title": null,
  targetYear: 2035,
  types: "facility.updated",
  url: "https://93.184.215.14/",
};

let gateway: Gateway;
let superAdmin: TestPerson;

beforeAll(async () => {
  gateway = await startGateway({ env: { SESSION_REQUESTS_PER_HOUR: "999999999" } });
  await loadSample(gateway.database, SAMPLE_FOLDER, NOW);
  superAdmin = await signUpSuperAdmin(gateway);
});
afterAll(() => gateway.stop());

const NUMBERS = ["-1", "0", "32", "101", "1001", "1989", "2101", "3661"];
const LENGTHS = [41, 201, 255, 501, 601, 1_001, 1_401, 2_001, 4_001, 10_001, 16_001];
/** Values near the bounds of a column, by its type. */
const BOUNDARIES: Readonly<Record<string, readonly string[]>> = {
  text: ["", " ", "in", "eur", "Ä", "a b", "A\nB", "9", ...LENGTHS.map((length) => "e".repeat(length))],
  numeric: [...NUMBERS, "NaN"],
  bigint: [...NUMBERS, "9007199254740992"],
  integer: NUMBERS,
};

/** Returns the values that a CHECK of one column refuses, by the column's name. */
async function listRefused(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const checks = await gateway.database.select<{ column: string; type: string; condition: string }>(
    `SELECT attname::text AS column, replace(format_type(atttypid, NULL), 'character', 'text') AS type,
             pg_get_expr(conbin, conrelid) AS condition
     FROM pg_constraint JOIN pg_attribute ON attrelid = conrelid AND attnum = conkey[1]
     WHERE contype = 'c' AND conparentid = 0 AND cardinality(conkey) = 1 AND connamespace = 'public'::regnamespace`,
    [],
  );
  const refused = new Map<string, Set<string>>();
  for (const { column, type, condition } of checks) {
    const rows = await gateway.database.select<{ boundary: string }>(
      `SELECT boundary FROM unnest($1::text[]) AS boundary, LATERAL (SELECT boundary::${type} AS "${column}") AS row
       WHERE NOT (${condition})`,
      [BOUNDARIES[type] ?? []],
    );
    const values = rows.map(({ boundary }) => boundary);
    refused.set(column, new Set([...(refused.get(column) ?? []), ...values]));
  }
  return refused;
}

type Steps = readonly (string | number)[];
interface Leaf {
  readonly path: Steps;
  readonly type: string;
}

/** Lists the leaves of an input; a list has one item. */
function leavesOf(type: GraphQLInputType, path: Steps): Leaf[] {
  const present = getNullableType(type);
  if (isListType(present)) return leavesOf(present.ofType, [...path, 0]);
  if (isLeafType(present)) return [{ path, type: String(present) }];
  return isInputObjectType(present)
    ? Object.values(present.getFields()).flatMap((field) => leavesOf(field.type, [...path, field.name]))
    : [];
}

const nameOf = ({ path }: Leaf) => String(path.findLast((step) => typeof step === "string"));

/** Returns a copy of a value with `leaf` at a path. */
function withLeaf(value: unknown, [step, ...rest]: Steps, leaf: unknown): unknown {
  if (step === undefined || (typeof step === "number" && rest.length === 0 && leaf === undefined))
    return leaf;
  if (typeof step === "number") return [withLeaf((value as unknown[] | undefined)?.[step], rest, leaf)];
  return { ...(value as object), [step]: withLeaf((value as never)?.[step], rest, leaf) };
}

/** Returns the id of a row of the model that the name of an argument or of a mutation contains. */
async function findId(mutation: string, argument: string): Promise<string | undefined> {
  const noun = (
    argument === "id" ? mutation.replace(/^[a-z]+/, "") : argument.replace(/Ids?$/, "")
  ).toLowerCase();
  const models = Object.keys(TABLES).map((model) => model.toLowerCase());
  const index = Math.max(
    models.findIndex((model) => model.endsWith(noun)),
    models.indexOf(noun),
  );
  const table = Object.values(TABLES)[index < 0 ? models.findIndex((model) => model.includes(noun)) : index];
  if (noun === "" || !table) return undefined;
  const [row] = await gateway.database.select<{ id?: string }>(`SELECT * FROM ${table} LIMIT 1`, []);
  return row?.id;
}

/** Returns valid variables of a mutation, with the ids of existing objects. */
async function fill({ name, args }: (typeof mutations)[number], leaves: readonly Leaf[]): Promise<unknown> {
  const filling = { longest: 40, seed: 1, isPlausible: true };
  let filled: unknown = Object.fromEntries(
    args.map((argument) => [argument.name, largestOf(argument, filling)]),
  );
  for (const leaf of leaves) {
    const validOf = (step: string | number) =>
      VALID[`${name}.${step}`] ?? (`${name}.${step}` in VALID ? null : VALID[step]);
    const omitted = leaf.path.findIndex((step) => validOf(step) === null);
    const member = nameOf(leaf);
    const isId = leaf.type === "UUID" || leaf.type === "ID";
    const value = validOf(member) ?? (isId ? await findId(name, member) : undefined);
    if (omitted >= 0) filled = withLeaf(filled, leaf.path.slice(0, omitted + 1), undefined);
    else if (value !== undefined) filled = withLeaf(filled, leaf.path, value);
  }
  return filled;
}

describe("a value that a CHECK of the database refuses", () => {
  it("is refused by each mutation before, or made valid", { timeout: 300_000 }, async () => {
    const refused = await listRefused();
    const offenders: string[] = [];
    const tested = { values: 0, mutations: 0 };
    for (const mutation of mutations) {
      const { name, args, type } = mutation;
      // Some mutations end sessions.
      const person = name.endsWith("Announcement") ? superAdmin : await addMember(gateway, "demo", "owner");
      const declared = args.map((argument) => `$${argument.name}: ${argument.type}`).join(", ");
      const given = args.map((argument) => `${argument.name}: $${argument.name}`).join(", ");
      const selection = "getFields" in getNamedType(type) ? "{ __typename }" : "";
      const document = `mutation (${declared}) { ${name}(${given}) ${selection} }`;
      const leaves = args.flatMap((argument) => leavesOf(argument.type, [argument.name]));
      const filled = await fill(mutation, leaves);
      const send = async (variables: unknown, what: string) => {
        const { errors } = (await person.graphql(document, variables as object)).body;
        if (errors?.some(({ extensions }) => extensions.code === "INTERNAL_ERROR"))
          offenders.push(`${name}: ${what}`);
        return errors === undefined;
      };
      tested.mutations += (await send(filled, "valid")) ? 1 : 0;
      for (const leaf of leaves) {
        const isNumber = /^(Int|SafeInt|Float)$/.test(leaf.type);
        if (leaf.path.at(-1) === 0) {
          const item = leaf.path.reduce<unknown>((at, step) => (at as never)?.[step], filled);
          const whole = leaf.path.slice(0, -1);
          for (const count of [0, 5, 21, 101])
            await send(
              withLeaf(filled, whole, Array(count).fill(item)),
              `${whole.join(".")} with ${count} items`,
            );
        }
        for (const value of refused.get(snakeCase(nameOf(leaf))) ?? []) {
          const variables = withLeaf(filled, leaf.path, isNumber ? Number(value) : value);
          await send(variables, `${leaf.path.join(".")} = ${value.slice(0, 20)} (${value.length})`);
          tested.values += 1;
        }
      }
    }
    expect(offenders).toEqual([]);
    expect(tested.values).toBeGreaterThan(1_000);
    expect(tested.mutations).toBeGreaterThan(mutations.length / 3);
  });
});
