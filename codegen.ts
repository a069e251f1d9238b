// schema.graphql → resolver types; the operations of src/rest and src/console → types of their variables and results.
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { codegen } from "@graphql-codegen/core";
import * as typescript from "@graphql-codegen/typescript";
import * as operations from "@graphql-codegen/typescript-operations";
import * as resolvers from "@graphql-codegen/typescript-resolvers";
import { gqlPluckFromCodeString } from "@graphql-tools/graphql-tag-pluck";
import { type DocumentNode, Kind, parse } from "graphql";

const OUTPUT = "src/generated";

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
    JSONObject: "Record<string, unknown>",
  },
};

const schema: DocumentNode = parse(await readFile("schema.graphql", "utf8"));

interface PluckedOperation {
  /** Such as `ExtMarketQuery`: its types have names that begin with this. */
  name: string;
  text: string;
  document: DocumentNode;
}

/** The operations that the files of a folder pass to `graphql(…)`. */
async function pluckOperations(folder: string): Promise<PluckedOperation[]> {
  const files = (await readdir(folder, { recursive: true })).filter((file) => /\.tsx?$/.test(file));
  const plucked: PluckedOperation[] = [];
  for (const file of files.sort()) {
    const code = await readFile(`${folder}/${file}`, "utf8");
    const sources = await gqlPluckFromCodeString(file, code, {
      globalGqlIdentifierName: "graphql",
      skipIndent: true,
    });
    for (const { body } of sources) {
      const document = parse(body);
      const [definition] = document.definitions;
      if (definition?.kind !== Kind.OPERATION_DEFINITION || !definition.name) {
        throw new Error(`${folder}/${file}: graphql(…) needs exactly one named operation`);
      }
      const kind = definition.operation === "mutation" ? "Mutation" : "Query";
      plucked.push({ name: `${definition.name.value}${kind}`, text: body, document });
    }
  }
  return plucked;
}

await mkdir(OUTPUT, { recursive: true });

const resolverTypes = await codegen({
  filename: `${OUTPUT}/resolvers.ts`,
  schema,
  documents: [],
  config: {
    ...config,
    contextType: "../access/context.js#Context",
    mappers: {
      ApiKey: "../graphql/resolvers/models.js#ApiKeyModel",
      ApiKeyConnection: "../graphql/resolvers/models.js#ApiKeyConnectionModel",
      NewApiKey: "../graphql/resolvers/models.js#NewApiKeyModel",
      RateLimit: "../graphql/resolvers/models.js#RateLimitModel",
      Emissions: "../graphql/resolvers/models.js#EmissionsModel",
      ScopeEmissions: "../graphql/resolvers/models.js#ScopeEmissionsModel",
      EmissionPeriod: "../graphql/resolvers/models.js#EmissionPeriodModel",
      EmissionChange: "../graphql/resolvers/models.js#EmissionChangeModel",
      FacilityEmissions: "../graphql/resolvers/models.js#FacilityEmissionsModel",
      CategoryEmissions: "../graphql/resolvers/models.js#PartEmissionsModel",
      CountryEmissions: "../graphql/resolvers/models.js#PartEmissionsModel",
      FacilityEmissionsConnection: "../graphql/resolvers/models.js#FacilityEmissionsConnectionModel",
      EmissionRecord: "../graphql/resolvers/models.js#RecordModel",
      EmissionRecordConnection: "../graphql/resolvers/models.js#RecordConnectionModel",
      Activity: "../graphql/resolvers/models.js#ActivityModel",
      Facility: "../graphql/resolvers/models.js#FacilityModel",
      FacilityConnection: "../graphql/resolvers/models.js#FacilityConnectionModel",
      NewEmissionRecords: "../graphql/resolvers/models.js#NewRecordsModel",
      NewEmissionFactor: "../graphql/resolvers/models.js#NewFactorModel",
      NewFacility: "../graphql/resolvers/models.js#NewFacilityModel",
      Compliance: "../graphql/resolvers/models.js#Empty",
      FrameworkState: "../graphql/resolvers/models.js#FrameworkStateModel",
      Deadline: "../graphql/resolvers/models.js#DeadlineModel",
      CataloguedDeadline: "../graphql/resolvers/models.js#CataloguedDeadlineModel",
      DeadlineConnection: "../graphql/resolvers/models.js#DeadlineConnectionModel",
      CctsPeriod: "../graphql/resolvers/models.js#PeriodModel",
      CctsPeriodConnection: "../graphql/resolvers/models.js#PeriodConnectionModel",
      RecordedCctsPeriod: "../graphql/resolvers/models.js#WrittenModel",
      CreditPortfolio: "../graphql/resolvers/models.js#Empty",
      CreditTypeQuantity: "../graphql/resolvers/models.js#CreditTypeQuantityModel",
      CreditTypeVintage: "../graphql/resolvers/models.js#CreditTypeVintageModel",
      CreditBatch: "../graphql/resolvers/models.js#BatchModel",
      CreditBatchConnection: "../graphql/resolvers/models.js#BatchConnectionModel",
      CreditSale: "../graphql/resolvers/models.js#SaleModel",
      CreditSaleConnection: "../graphql/resolvers/models.js#SaleConnectionModel",
      IssuedCredits: "../graphql/resolvers/models.js#WrittenModel",
      SoldCredits: "../graphql/resolvers/models.js#WrittenModel",
      RetiredCredits: "../graphql/resolvers/models.js#WrittenModel",
      CreditRetirement: "../graphql/resolvers/models.js#RetirementModel",
      CreditRetirementConnection: "../graphql/resolvers/models.js#RetirementConnectionModel",
      Benchmarks: "../graphql/resolvers/models.js#BenchmarksModel",
      Market: "../graphql/resolvers/models.js#Empty",
      Instrument: "../graphql/resolvers/models.js#InstrumentModel",
      PriceChange: "../graphql/resolvers/models.js#PriceChangeModel",
      InstrumentConnection: "../graphql/resolvers/models.js#InstrumentConnectionModel",
      EmissionKpis: "../graphql/resolvers/models.js#EmissionKpisModel",
      EmissionIntensity: "../graphql/resolvers/models.js#EmissionIntensityModel",
      BusinessMetric: "../graphql/resolvers/models.js#MetricModel",
      BusinessMetricConnection: "../graphql/resolvers/models.js#MetricConnectionModel",
      EmissionFactor: "../graphql/resolvers/models.js#FactorModel",
      EmissionFactorConnection: "../graphql/resolvers/models.js#FactorConnectionModel",
      Calculation: "../graphql/resolvers/models.js#CalculationModel",
      Viewer: "../graphql/resolvers/models.js#ViewerModel",
      Session: "../graphql/resolvers/models.js#SessionModel",
      Membership: "../graphql/resolvers/models.js#MembershipModel",
      Import: "../graphql/resolvers/models.js#ImportModel",
      ImportConnection: "../graphql/resolvers/models.js#ImportConnectionModel",
      UndoneImport: "../graphql/resolvers/models.js#UndoneImportModel",
      Member: "../graphql/resolvers/models.js#MemberModel",
      SessionConnection: "../graphql/resolvers/models.js#SessionConnectionModel",
      MemberConnection: "../graphql/resolvers/models.js#MemberConnectionModel",
      InvitationConnection: "../graphql/resolvers/models.js#InvitationConnectionModel",
      AuditLog: "../graphql/resolvers/models.js#Empty",
      AuditEntry: "../graphql/resolvers/models.js#AuditEntryModel",
      AuditHead: "../graphql/resolvers/models.js#AuditHeadModel",
      AuditVerification: "../graphql/resolvers/models.js#AuditVerificationModel",
      AuditEntryConnection: "../graphql/resolvers/models.js#AuditEntryConnectionModel",
    },
    enumValues: {
      EmissionScope: "../domain/enums.js#EmissionScope",
      Framework: "../domain/enums.js#Framework",
      FrameworkStatus: "../domain/enums.js#FrameworkStatus",
      DeadlineStatus: "../domain/compliance/deadlines.js#SettableStatus",
      Recurrence: "../domain/compliance/deadlines.js#Recurrence",
      DatePrecision: "../domain/compliance/deadlines.js#DatePrecision",
      PriceType: "../domain/enums.js#PriceType",
      Tier: "../domain/tiers.js#Tier",
      ApiKeyStatus: "../domain/keys/rules.js#KeyStatus",
      Role: "../domain/people/roles.js#Role",
      SessionKind: "../domain/people/session-kinds.js#SessionKind",
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

/** Writes the types of a folder's operations, and the function that gives a text its types; returns the operations. */
async function writeOperations(
  folder: string,
  filename: string,
  scalars: typeof config.scalars | Record<string, string>,
): Promise<PluckedOperation[]> {
  const plucked = await pluckOperations(folder);
  const types = await codegen({
    filename,
    schema,
    documents: plucked.map(({ name, document }) => ({ location: name, document })),
    config: { ...config, scalars },
    plugins: [{ operations: {} }],
    pluginMap: { operations },
  });
  const overloads = plucked.map(
    ({ name, text }) =>
      `export function graphql(source: ${JSON.stringify(text)}): TypedOperation<${name}, ${name}Variables>;`,
  );
  await writeFile(
    filename,
    `${types}
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
  return plucked;
}

await writeOperations("src/rest", `${OUTPUT}/operations.ts`, config.scalars);
// A browser gets times as text.
const ofConsole = await writeOperations("src/console", `${OUTPUT}/console.ts`, {
  ...config.scalars,
  DateTime: "string",
});
await writeFile(
  `${OUTPUT}/console-documents.ts`,
  `/** The texts of the console's operations by their names. */
export const CONSOLE_DOCUMENTS: Readonly<Record<string, string>> = ${JSON.stringify(
    Object.fromEntries(ofConsole.map(({ name, text }) => [name, text])),
  )};
`,
);
