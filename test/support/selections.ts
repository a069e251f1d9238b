import { readFileSync } from "node:fs";
import {
  buildSchema,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
} from "graphql";
import type { Context } from "../../src/access/context.js";
import { KEY_SCOPES, satisfies } from "../../src/domain/scopes.js";
import { requiredScopes } from "../../src/graphql/schema/scope-directive.js";
import { SCHEMA_FILE } from "../../src/paths.js";
import { list } from "./list.js";

type Field = GraphQLField<unknown, Context>;

/**
 * Returns true if clients store objects of a type in their parent: pages and edges, calculated values, and parts of
 * declarations, conversations and inventories.
 */
export const isFrame = ({ name }: GraphQLObjectType): boolean =>
  /Connection$|Edge$|^PageInfo$|^Calculation(?!$)|^PriceIndex.|^(Forecast|Backtest|Predictions?|CumulativePrediction|AnomalySeries)|^Insight.|^Chat(?!Reply)|^Cbam(?!Declaration$|Import$)|^Inventory(?!$)|^(BaseYear|Vsme|UnmappedStream|ReductionTargetYear|EmissionStream|Entity)/.test(
    name,
  );

const query = buildSchema(readFileSync(SCHEMA_FILE, "utf8")).getQueryType();

/** Fields of Query that find one thing by its id, number or issue. */
export const BY_ID: readonly string[] = Object.values(query?.getFields() ?? {})
  .filter(({ args }) => args.some(({ name }) => ["id", "number", "issue"].includes(name)))
  .map(({ name }) => name);

/** Fields of Query that are null until a user sets the inventory's policy. */
export const NEEDS_POLICY: readonly string[] = ["inventory", "baseYearStatus", "vsmeReport"];

/** Fields that fail without six months of data. */
export const NEEDS_DATA = ["forecast", "predictions"] as readonly string[];

/** Fields that compute analyses from many months. They have separate tests. */
export const ANALYSES: readonly string[] = [...NEEDS_DATA, "anomalies", "insights", "contributions"];

/** Required arguments of other fields. */
const FIELD_ARGUMENTS: Readonly<Record<string, string>> = {
  "Compliance.cataloguedDeadlines": "(framework: SG_CCS)",
  "Market.geography": "(geography: GLOBAL)",
};

/** Required arguments of fields of Query. */
export const ROOT_ARGUMENTS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(BY_ID.map((name) => [name, '(id: "0b9fd6a2-4a0f-4f0e-9a38-5a1a3a0f1d3c")'])),
  calculate: '(items: [{ amount: "1", unit: "kg", gas: "CO2" }])',
  verificationCertificate: '(number: "CGW-2026-999999")',
  inventory: "(year: 2025)",
  vsmeReport: "(year: 2025)",
  inventoryIssues: "(year: 2025, first: 3)",
  inventoryIssue: "(year: 2025, issue: 1)",
  cbamEstimate: '(input: { year: 2026, lines: [{ cnCode: "7208", country: "IN", massT: "1" }] })',
};

/** Fields of Query for users only. */
export const FOR_PEOPLE: readonly string[] = list(`
  auditLog viewer members invitations apiKeys apiKey serviceAccounts serviceAccount caller
  webhookEndpoints webhookEndpoint domains singleSignOn directoryGroups conversations conversation
  verificationAssignments
`);

/** Fields of Query for super admins only. */
export const FOR_SUPER_ADMINS: readonly string[] = ["monitoring", "announcements"];

/** Data entered for inventories. Left out, because an operation has at most 20 root fields, and tested separately. */
const ENTERED: readonly string[] = list(`
  inventoryPolicies baseYearStatus reductionTargets emissionStreams entities energyInstruments
`);

/** Returns a query of everything that a key can read without arguments, with the leaf fields that `picks` selects. */
export function selectAll(schema: GraphQLSchema, picks: (field: Field, index: number) => boolean): string {
  const select = (type: GraphQLObjectType, within: readonly GraphQLObjectType[]): string => {
    // `facility` needs either an id or a code.
    const fields = Object.values(type.getFields()).filter(
      (field) =>
        !field.args.some((argument) => isRequiredArgument(argument) || argument.name === "code") &&
        !NEEDS_DATA.includes(field.name) &&
        // Its items repeat the answers of other fields.
        getNamedType(field.type).name !== "Changes" &&
        requiredScopes(schema, field).every((scopes) => satisfies(KEY_SCOPES, scopes)) &&
        !(within.length === 1 && [...FOR_PEOPLE, ...ENTERED].includes(field.name)),
    );
    const parts = fields.map((field, index) => {
      const below = getNamedType(field.type);
      if (isLeafType(below)) return !isFrame(type) && picks(field, index) ? field.name : "";
      if (!isObjectType(below) || within.includes(below)) return "";
      if (isFrame(type) && field.name !== "nodes") return "";
      const size = field.args.some(({ name }) => name === "first") ? "(first: 3)" : "";
      return `${field.name}${size} ${select(below, [...within, below])}`;
    });
    return `{ __typename ${parts.join(" ")} }`;
  };
  const query = schema.getQueryType();
  if (!query) throw new Error("the schema has no queries");
  return select(query, [query]);
}

export interface RootSelection {
  /** Arguments of the root field, in parentheses. */
  readonly rootArguments?: string | undefined;
  /** Fields to leave out: `Type.field`, or `field` of any type. */
  readonly omitted: readonly string[];
}

/** Returns a query of a field of Query, with all fields and relations down to the leaves. */
export function selectRoot(
  schema: GraphQLSchema,
  root: string,
  { rootArguments = "", omitted }: RootSelection,
): string {
  const select = (type: GraphQLNamedType, above: readonly GraphQLNamedType[]): string => {
    if (!isObjectType(type)) return "";
    const fields = Object.values(type.getFields()).flatMap((field) => {
      const path = `${type.name}.${field.name}`;
      const below = getNamedType(field.type);
      // `facility` needs either an id or a code.
      const needsEither = field.args.some(({ name }) => name === "code");
      if (needsEither || above.includes(below) || omitted.includes(path) || omitted.includes(field.name))
        return [];
      const given = FIELD_ARGUMENTS[path] ?? "";
      if (given === "" && field.args.some(isRequiredArgument))
        throw new Error(`add the arguments of ${path} to FIELD_ARGUMENTS`);
      return [`${field.name}${given}${select(below, [...above, below])}`];
    });
    return ` { ${fields.join(" ")} }`;
  };
  const field = schema.getQueryType()?.getFields()[root];
  if (!field) throw new Error(`Query has no field ${root}`);
  const type = getNamedType(field.type);
  return `{ ${root}${rootArguments}${select(type, [type])} }`;
}
