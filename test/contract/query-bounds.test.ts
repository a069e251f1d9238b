import { readFile } from "node:fs/promises";
import {
  buildSchema,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isObjectType,
  isRequiredArgument,
} from "graphql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SCHEMA_FILE } from "../../src/paths.js";
import { addTenantData } from "../support/fixtures.js";
import { signUp, signUpSuperAdmin, type TestPerson } from "../support/people.js";
import { BY_ID, FOR_SUPER_ADMINS, ROOT_ARGUMENTS } from "../support/selections.js";
import { type Gateway, makeKey, NOW, startGateway } from "../support/server.js";

// Every argument of a query, found in the schema, just inside and just outside its bounds.

type Field = GraphQLField<unknown, unknown>;
/** A value of an argument, and the argument that the refusal names: null if it is accepted, `either` if it may be. */
type Case = readonly [name: string, written: string, refused: string | null];

const schema = buildSchema(await readFile(SCHEMA_FILE, "utf8"));
const query = schema.getQueryType() as GraphQLObjectType;

/** Pages have separate tests. */
const PAGING = ["after", "before", "last"];
const isConnection = ({ type }: Field) => /Connection$/.test(getNamedType(type).name);

/** Arguments that share the bounds of another. */
const RENAMED: Readonly<Record<string, string>> = { "filter.states": "filter.statuses" };

/** Returns the cases of an argument or of a member of one. */
function casesOf({ name, type, description }: GraphQLArgument | GraphQLInputField, path: string): Case[] {
  const at = path === "" ? name : `${path}.${name}`;
  const input = getNullableType(type);
  const [, least, most] = /(\d+) to ([\d,]+)/.exec(description ?? "") ?? [];
  if (isListType(input)) {
    const item = getNamedType(input);
    const value = isEnumType(item) ? item.getValues()[0]?.name : { Int: "2024", String: '"x"' }[item.name];
    if (path !== "filter" || value === undefined) return [];
    const list = (count: number) => `[${Array(count).fill(value).join(", ")}]`;
    const named = RENAMED[at] ?? at;
    const nul: Case[] = item.name === "String" ? [[at, '["a", "b\\u0000"]', named]] : [];
    return [[at, list(101), named], ...nul];
  }
  if (isInputObjectType(input)) {
    if (input.name === "DateRangeInput") {
      const range = (from: string, to: string) => `{ from: "${from}", to: "${to}" }`;
      return [
        [at, range("2026-11-20", "2026-11-19"), `${at}.to`],
        ...(!/any number of years/.test(description ?? "")
          ? [[at, range("1926-11-20", "2026-11-20"), at] as const]
          : []),
        [at, range("0999-12-31", "1000-01-01"), `${at}.from`],
        [at, range("0050-01-01", "1955-01-01"), `${at}.from`],
        [at, range("9989-12-15", "9999-12-14"), `${at}.to`],
        [at, range("1926-11-21", "2026-11-20"), null],
        [at, range("1000-01-01", "1000-01-31"), null],
        [at, range("2999-12-01", "2999-12-31"), null],
      ];
    }
    return Object.values(input.getFields()).flatMap((member) => casesOf(member, at));
  }
  // PostgreSQL cannot store NUL.
  if (input.name === "String" && !PAGING.includes(name)) return [[at, '"a\\u0000b"', "either"]];
  if (input.name !== "Int" || least === undefined || most === undefined) return [];
  const max = Number(most.replaceAll(",", ""));
  return [
    [at, String(Number(least) - 1), at],
    [at, String(max + 1), at],
    [at, least, null],
  ];
}

interface Tested {
  readonly name: string;
  readonly root: string;
  readonly steps: readonly string[];
  readonly field: Field;
}

/** Lists the fields with arguments that can be reached with the data of one organization. */
function listFields(type: GraphQLObjectType, steps: readonly string[], above: readonly string[]): Tested[] {
  return Object.values(type.getFields()).flatMap((field) => {
    const [root = field.name] = steps.map((step) => step.replace(/\(.*/, ""));
    if (steps.length === 0 && BY_ID.includes(field.name)) return [];
    const own: Tested[] =
      field.args.length > 0
        ? [
            {
              name: [...steps.map((step) => step.replace(/\(.*/, "")), field.name].join("."),
              root,
              steps,
              field,
            },
          ]
        : [];
    const below = getNamedType(field.type);
    const required = steps.length === 0 ? ROOT_ARGUMENTS[field.name] : undefined;
    const given = required ?? (isConnection(field) ? "(first: 1)" : "");
    const isOpen = given !== "" || !field.args.some(isRequiredArgument);
    if (!isObjectType(below) || above.includes(below.name) || !isOpen || steps.length > 3) return own;
    return [...own, ...listFields(below, [...steps, `${field.name}${given}`], [...above, below.name])];
  });
}
const seen = new Set<string>();
const fields = listFields(query, [], []).filter(({ field, steps }) => {
  const key = `${steps.length > 0 ? "" : "Query."}${field.name} ${field.args.map(String).join()} ${field.type}`;
  // Others are tested with their own inputs.
  return field.args.filter(isRequiredArgument).length === 0 && !seen.has(key) && seen.add(key);
});

let gateway: Gateway;
let owner: TestPerson;
let superAdmin: TestPerson;
beforeAll(async () => {
  gateway = await startGateway({ env: { SESSION_REQUESTS_PER_HOUR: "999999999" } });
  await addTenantData(gateway.database, { name: "ALPHA", digits: 4_242_424, framework: "CDP" });
  owner = await signUp(gateway, { organization: "alpha", factorAt: NOW });
  await makeKey(gateway.database, "alpha");
  superAdmin = await signUpSuperAdmin(gateway);
});
afterAll(() => gateway.stop());

/** Asks for a field with a value of an argument; returns the arguments that errors name. */
async function ask({ root, steps, field }: Tested, name: string, written: string) {
  const nested = name.split(".");
  const value = nested.slice(1).reduceRight((inner, member) => `{ ${member}: ${inner} }`, written);
  const selection = isLeafType(getNamedType(field.type)) ? "" : " { __typename }";
  const page = isConnection(field) ? " { nodes { __typename } totalCount }" : selection;
  const text =
    [...steps, `${field.name}(${nested[0]}: ${value})${page}`].join(" { ") + " }".repeat(steps.length);
  const { body } = await (FOR_SUPER_ADMINS.includes(root) ? superAdmin : owner).graphql(`{ ${text} }`);
  return (
    body.errors?.map(({ extensions, message }) =>
      extensions.code === "INTERNAL_ERROR" ? "INTERNAL_ERROR" : (extensions.argument ?? message),
    ) ?? []
  );
}

describe.each(fields)("the arguments of $name", (tested) => {
  const cases = tested.field.args.flatMap((argument) => casesOf(argument, ""));

  it.skipIf(cases.length === 0)("are refused by name just outside their bounds", async () => {
    for (const [name, written, refused] of cases) {
      const named = await ask(tested, name, written);
      const shown = written.slice(0, 60);
      expect([shown, named]).toEqual([
        shown,
        refused === null
          ? expect.not.arrayContaining([name])
          : refused === "either"
            ? expect.not.arrayContaining(["INTERNAL_ERROR"])
            : [refused],
      ]);
    }
  });
});
