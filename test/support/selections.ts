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

type Field = GraphQLField<unknown, Context>;

/** Whether clients keep objects of a type as part of the object around them: pages, and what only frames their items; what was calculated; what is part of a declaration or a conversation; and what an inventory consists of. */
export const isFrame = ({ name }: GraphQLObjectType): boolean =>
  /Connection$|Edge$|^PageInfo$|^Calculation(?!$)|^PriceIndex.|^(Forecast|Backtest|Predictions?|CumulativePrediction|AnomalySeries)|^Insight.|^Chat(?!Reply)|^Cbam(?!Declaration$|Import$)|^Inventory(?!$)|^(BaseYear|Vsme|UnmappedStream|ReductionTargetYear|EmissionStream|Entity)/.test(
    name,
  );

const query = buildSchema(readFileSync(SCHEMA_FILE, "utf8")).getQueryType();

/** Fields of Query that find something by its id or, for a certificate or an issue, by its number. */
export const BY_ID: readonly string[] = Object.values(query?.getFields() ?? {})
  .filter(({ args }) => args.some(({ name }) => ["id", "number", "issue"].includes(name)))
  .map(({ name }) => name);

/** Fields of Query that are null until a person sets the policy of an inventory. */
export const NEEDS_POLICY: readonly string[] = ["inventory", "baseYearStatus", "vsmeReport"];

/** Fields that fail without six months of data. */
export const NEEDS_DATA = ["forecast", "predictions"] as readonly string[];

/** Fields that compute findings and figures from many months, which have tests of their own. */
export const ANALYSES: readonly string[] = [...NEEDS_DATA, "anomalies", "insights", "contributions"];

/** Arguments of other fields that cannot be asked for without. */
const FIELD_ARGUMENTS: Readonly<Record<string, string>> = {
  "Compliance.cataloguedDeadlines": "(framework: SG_CCS)",
  "Market.geography": "(geography: GLOBAL)",
};

/** What fields of Query take that cannot be asked for without. */
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

/** Fields of Query that only people get. */
export const FOR_PEOPLE: readonly string[] = [
  "auditLog",
  "viewer",
  "members",
  "invitations",
  "apiKeys",
  "apiKey",
  "serviceAccounts",
  "serviceAccount",
  "caller",
  "webhookEndpoints",
  "webhookEndpoint",
  "domains",
  "singleSignOn",
  "directoryGroups",
  "conversations",
  "conversation",
  "verificationAssignments",
];

/** Fields of Query that only super admins get. */
export const FOR_SUPER_ADMINS: readonly string[] = ["monitoring", "announcements"];

/** What people enter about inventories, which has tests of its own: an operation has at most 20 root fields. */
const ENTERED: readonly string[] = [
  "inventoryPolicies",
  "baseYearStatus",
  "reductionTargets",
  "emissionStreams",
  "entities",
  "energyInstruments",
];

/** A query of everything that a key can ask for without arguments, with the values for which `picks` is true. */
export function selectAll(schema: GraphQLSchema, picks: (field: Field, index: number) => boolean): string {
  const select = (type: GraphQLObjectType, within: readonly GraphQLObjectType[]): string => {
    // `facility` needs an id or a code, either of them.
    const fields = Object.values(type.getFields()).filter(
      (field) =>
        !field.args.some((argument) => isRequiredArgument(argument) || argument.name === "code") &&
        !NEEDS_DATA.includes(field.name) &&
        // Its items repeat what other fields answer.
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

/** A query of a field of Query, with every field and every relation down to the leaves. */
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
      // `facility` needs an id or a code, either of them.
      const needsEither = field.args.some(({ name }) => name === "code");
      if (needsEither || above.includes(below) || omitted.includes(path) || omitted.includes(field.name))
        return [];
      const given = FIELD_ARGUMENTS[path] ?? "";
      if (given === "" && field.args.some(isRequiredArgument)) throw new Error(`say here what ${path} takes`);
      return [`${field.name}${given}${select(below, [...above, below])}`];
    });
    return ` { ${fields.join(" ")} }`;
  };
  const field = schema.getQueryType()?.getFields()[root];
  if (!field) throw new Error(`Query has no field ${root}`);
  const type = getNamedType(field.type);
  return `{ ${root}${rootArguments}${select(type, [type])} }`;
}
