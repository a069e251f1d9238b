// schema.graphql → resolver types; the queries of src/rest/ext → their result types.
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { codegen } from "@graphql-codegen/core";
import * as typescript from "@graphql-codegen/typescript";
import * as operations from "@graphql-codegen/typescript-operations";
import * as resolvers from "@graphql-codegen/typescript-resolvers";
import { gqlPluckFromCodeString } from "@graphql-tools/graphql-tag-pluck";
import { type DocumentNode, Kind, parse } from "graphql";

const OUTPUT = "src/generated";
const ENDPOINTS = "src/rest/ext";

const config = {
  useTypeImports: true,
  enumsAsTypes: true,
  strictScalars: true,
  skipTypename: true,
  immutableTypes: true,
  scalars: {
    Scope: "string",
    Date: "string",
    DateTime: { input: "Date", output: "Date" },
    UUID: "string",
    URL: "string",
    Currency: "string",
    SafeInt: "number",
    Decimal: "string",
    CountryCode: "string",
  },
};

const schema: DocumentNode = parse(await readFile("schema.graphql", "utf8"));

interface PluckedQuery {
  name: string;
  text: string;
  document: DocumentNode;
}

/** The queries that the endpoint files pass to `graphql(…)`. */
async function pluckQueries(): Promise<PluckedQuery[]> {
  const files = (await readdir(ENDPOINTS)).filter((file) => file.endsWith(".ts")).sort();
  const queries: PluckedQuery[] = [];
  for (const file of files) {
    const code = await readFile(`${ENDPOINTS}/${file}`, "utf8");
    const sources = await gqlPluckFromCodeString(file, code, {
      globalGqlIdentifierName: "graphql",
      skipIndent: true,
    });
    for (const { body } of sources) {
      const document = parse(body);
      const [operation] = document.definitions;
      if (operation?.kind !== Kind.OPERATION_DEFINITION || !operation.name) {
        throw new Error(`${ENDPOINTS}/${file}: graphql(…) needs exactly one named query`);
      }
      queries.push({ name: operation.name.value, text: body, document });
    }
  }
  return queries;
}

const queries = await pluckQueries();
await mkdir(OUTPUT, { recursive: true });

const resolverTypes = await codegen({
  filename: `${OUTPUT}/resolvers.ts`,
  schema,
  documents: [],
  config: {
    ...config,
    contextType: "../access/context.js#Context",
    mappers: {
      RateLimit: "../graphql/resolvers/parents.js#RateLimitParent",
      Emissions: "../graphql/resolvers/parents.js#EmissionsParent",
      ScopeEmissions: "../graphql/resolvers/parents.js#ScopeEmissionsParent",
      EmissionPeriod: "../graphql/resolvers/parents.js#EmissionPeriodParent",
      EmissionChange: "../graphql/resolvers/parents.js#EmissionChangeParent",
      FacilityEmissions: "../graphql/resolvers/parents.js#FacilityEmissionsParent",
      CategoryEmissions: "../graphql/resolvers/parents.js#PartEmissionsParent",
      CountryEmissions: "../graphql/resolvers/parents.js#PartEmissionsParent",
      FacilityEmissionsConnection: "../graphql/resolvers/parents.js#FacilityEmissionsConnectionParent",
      EmissionRecord: "../graphql/resolvers/parents.js#RecordParent",
      EmissionRecordConnection: "../graphql/resolvers/parents.js#RecordConnectionParent",
      Compliance: "../graphql/resolvers/parents.js#NoParent",
      FrameworkState: "../graphql/resolvers/parents.js#FrameworkStateParent",
      Deadline: "../graphql/resolvers/parents.js#DeadlineParent",
      DeadlineConnection: "../graphql/resolvers/parents.js#DeadlineConnectionParent",
      CreditPortfolio: "../graphql/resolvers/parents.js#NoParent",
      CreditTypeQuantity: "../graphql/resolvers/parents.js#CreditTypeQuantityParent",
      CreditTypeVintage: "../graphql/resolvers/parents.js#CreditTypeVintageParent",
      CreditBatch: "../graphql/resolvers/parents.js#BatchParent",
      CreditBatchConnection: "../graphql/resolvers/parents.js#BatchConnectionParent",
      CreditRetirement: "../graphql/resolvers/parents.js#RetirementParent",
      CreditRetirementConnection: "../graphql/resolvers/parents.js#RetirementConnectionParent",
      Benchmarks: "../graphql/resolvers/parents.js#BenchmarksParent",
      Market: "../graphql/resolvers/parents.js#NoParent",
      Instrument: "../graphql/resolvers/parents.js#InstrumentParent",
      PriceChange: "../graphql/resolvers/parents.js#PriceChangeParent",
      InstrumentConnection: "../graphql/resolvers/parents.js#InstrumentConnectionParent",
    },
    enumValues: {
      EmissionScope: "../domain/enums.js#EmissionScope",
      Framework: "../domain/enums.js#Framework",
      FrameworkStatus: "../domain/enums.js#FrameworkStatus",
      PriceType: "../domain/enums.js#PriceType",
      Tier: "../domain/tiers.js#Tier",
      TrendStep: "../domain/window.js#TrendStep",
      OrderDirection: "../domain/enums.js#OrderDirection",
      EmissionRecordOrder: "../domain/enums.js#EmissionRecordOrder",
    },
  },
  plugins: [{ typescript: {} }, { resolvers: {} }],
  pluginMap: { typescript, resolvers },
});
// The plugin re-exports imported enum types in the form of a value.
await writeFile(`${OUTPUT}/resolvers.ts`, resolverTypes.replaceAll(/^export \{/gm, "export type {"));

const queryTypes = await codegen({
  filename: `${OUTPUT}/queries.ts`,
  schema,
  documents: queries.map(({ name, document }) => ({ location: name, document })),
  config,
  plugins: [{ operations: {} }],
  pluginMap: { operations },
});
const overloads = queries.map(
  ({ name, text }) => `export function graphql(source: ${JSON.stringify(text)}): TypedQuery<${name}Query>;`,
);
await writeFile(
  `${OUTPUT}/queries.ts`,
  `${queryTypes}
/** The text of a query whose result is of type \`Data\`. */
export interface TypedQuery<Data> {
  readonly source: string;
  readonly data?: Data;
}
${overloads.join("\n")}
export function graphql(source: string): TypedQuery<never> {
  return { source };
}
`,
);
