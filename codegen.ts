// schema.graphql → resolver types; the operations of src/rest → types of their variables and results.
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { codegen } from "@graphql-codegen/core";
import * as typescript from "@graphql-codegen/typescript";
import * as operations from "@graphql-codegen/typescript-operations";
import * as resolvers from "@graphql-codegen/typescript-resolvers";
import { gqlPluckFromCodeString } from "@graphql-tools/graphql-tag-pluck";
import { type DocumentNode, Kind, parse } from "graphql";

const OUTPUT = "src/generated";
const ENDPOINTS = "src/rest";

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

interface PluckedOperation {
  /** Such as `ExtMarketQuery`: its types have names that begin with this. */
  name: string;
  text: string;
  document: DocumentNode;
}

/** The operations that the endpoint files pass to `graphql(…)`. */
async function pluckOperations(): Promise<PluckedOperation[]> {
  const files = (await readdir(ENDPOINTS, { recursive: true })).filter((file) => file.endsWith(".ts"));
  const plucked: PluckedOperation[] = [];
  for (const file of files.sort()) {
    const code = await readFile(`${ENDPOINTS}/${file}`, "utf8");
    const sources = await gqlPluckFromCodeString(file, code, {
      globalGqlIdentifierName: "graphql",
      skipIndent: true,
    });
    for (const { body } of sources) {
      const document = parse(body);
      const [definition] = document.definitions;
      if (definition?.kind !== Kind.OPERATION_DEFINITION || !definition.name) {
        throw new Error(`${ENDPOINTS}/${file}: graphql(…) needs exactly one named operation`);
      }
      const kind = definition.operation === "mutation" ? "Mutation" : "Query";
      plucked.push({ name: `${definition.name.value}${kind}`, text: body, document });
    }
  }
  return plucked;
}

const plucked = await pluckOperations();
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

const operationTypes = await codegen({
  filename: `${OUTPUT}/operations.ts`,
  schema,
  documents: plucked.map(({ name, document }) => ({ location: name, document })),
  config,
  plugins: [{ operations: {} }],
  pluginMap: { operations },
});
const overloads = plucked.map(
  ({ name, text }) =>
    `export function graphql(source: ${JSON.stringify(text)}): TypedOperation<${name}, ${name}Variables>;`,
);
await writeFile(
  `${OUTPUT}/operations.ts`,
  `${operationTypes}
/** The text of an operation with variables of type \`Variables\` and a result of type \`Data\`. */
export interface TypedOperation<Data, Variables> {
  readonly source: string;
  readonly types?: [data: Data, variables: Variables];
}
${overloads.join("\n")}
export function graphql(source: string): TypedOperation<never, never> {
  return { source };
}
`,
);
