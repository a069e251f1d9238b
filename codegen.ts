// schema.graphql → resolver types; the operations of src/rest, src/actions/chat and src/console → types of their variables and results.
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { codegen } from "@graphql-codegen/core";
import * as typescript from "@graphql-codegen/typescript";
import * as operations from "@graphql-codegen/typescript-operations";
import * as resolvers from "@graphql-codegen/typescript-resolvers";
import { gqlPluckFromCodeString } from "@graphql-tools/graphql-tag-pluck";
import { type DocumentNode, Kind, parse, visit } from "graphql";
import { enums } from "./src/graphql/resolvers/enums.js";

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

interface Plucked {
  /** Such as `ExtMarketQuery`: its types have names that begin with this. */
  name: string;
  text: string;
  document: DocumentNode;
  isFragment: boolean;
}

const SUFFIXES = { query: "Query", mutation: "Mutation", subscription: "Subscription" };

/** The operations and fragments that the files of a folder pass to `graphql(…)`. */
async function pluckDocuments(folder: string): Promise<Plucked[]> {
  const files = (await readdir(folder, { recursive: true })).filter((file) => /\.tsx?$/.test(file));
  const plucked: Plucked[] = [];
  for (const file of files.sort()) {
    const code = await readFile(`${folder}/${file}`, "utf8");
    const sources = await gqlPluckFromCodeString(file, code, {
      globalGqlIdentifierName: "graphql",
      skipIndent: true,
    });
    for (const { body } of sources) {
      const document = parse(body);
      const [definition, ...others] = document.definitions;
      if (others.length === 0 && definition?.kind === Kind.FRAGMENT_DEFINITION) {
        plucked.push({ name: definition.name.value, text: body, document, isFragment: true });
      } else if (
        others.length === 0 &&
        definition?.kind === Kind.OPERATION_DEFINITION &&
        definition.name !== undefined
      ) {
        const name = `${definition.name.value}${SUFFIXES[definition.operation]}`;
        plucked.push({ name, text: body, document, isFragment: false });
      } else {
        throw new Error(`${folder}/${file}: graphql(…) needs exactly one operation or fragment, with a name`);
      }
    }
  }
  return plucked;
}

/** The texts of the fragments that a document spreads, each once, with those that they spread themselves. */
function listFragments(
  document: DocumentNode,
  all: readonly Plucked[],
  found = new Set<Plucked>(),
): Set<Plucked> {
  visit(document, {
    FragmentSpread({ name }) {
      const fragment = all.find((one) => one.isFragment && one.name === name.value);
      if (!fragment) throw new Error(`there is no fragment ${name.value}`);
      if (found.has(fragment)) return;
      found.add(fragment);
      listFragments(fragment.document, all, found);
    },
  });
  return found;
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
      Monitoring: "../graphql/resolvers/models.js#MonitoringModel",
      PlatformHealth: "../graphql/resolvers/models.js#PlatformHealthModel",
      PlatformDay: "../graphql/resolvers/models.js#PlatformDayModel",
      NotificationPreferences: "../graphql/resolvers/models.js#PreferencesModel",
      Notification: "../graphql/resolvers/models.js#NotificationModel",
      NotificationConnection: "../graphql/resolvers/models.js#NotificationConnectionModel",
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
      Recalculation: "../graphql/resolvers/models.js#RecalculationModel",
      RecalculatedAmount: "../graphql/resolvers/models.js#RecalculatedAmountModel",
      RecalculatedScope: "../graphql/resolvers/models.js#RecalculatedScopeModel",
      RecalculatedRecord: "../graphql/resolvers/models.js#RecalculatedRecordModel",
      NewFacility: "../graphql/resolvers/models.js#NewFacilityModel",
      Compliance: "../graphql/resolvers/models.js#Empty",
      FrameworkState: "../graphql/resolvers/models.js#FrameworkStateModel",
      Deadline: "../graphql/resolvers/models.js#DeadlineModel",
      CataloguedDeadline: "../graphql/resolvers/models.js#CataloguedDeadlineModel",
      DeadlineConnection: "../graphql/resolvers/models.js#DeadlineConnectionModel",
      CctsPeriod: "../graphql/resolvers/models.js#PeriodModel",
      CctsPeriodConnection: "../graphql/resolvers/models.js#PeriodConnectionModel",
      RecordedCctsPeriod: "../graphql/resolvers/models.js#WrittenModel",
      CbamEstimate: "../graphql/resolvers/models.js#CbamEstimateModel",
      CbamPrice: "../graphql/resolvers/models.js#CbamPriceModel",
      CbamDeMinimis: "../graphql/resolvers/models.js#CbamDeMinimisModel",
      CbamYear: "../graphql/resolvers/models.js#CbamYearModel",
      CbamLine: "../graphql/resolvers/models.js#CbamLineModel",
      CbamTotal: "../graphql/resolvers/models.js#CbamTotalModel",
      CbamDeclaration: "../graphql/resolvers/models.js#CbamDeclarationModel",
      CbamHolding: "../graphql/resolvers/models.js#CbamHoldingModel",
      CbamImport: "../graphql/resolvers/models.js#CbamImportModel",
      CbamPrecursor: "../graphql/resolvers/models.js#CbamPrecursorModel",
      CbamDeclarationConnection: "../graphql/resolvers/models.js#CbamDeclarationConnectionModel",
      CreatedCbamDeclaration: "../graphql/resolvers/models.js#WrittenModel",
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
      MarketPrice: "../graphql/resolvers/models.js#PriceModel",
      RecordedPrice: "../graphql/resolvers/models.js#WrittenModel",
      PriceIndex: "../graphql/resolvers/models.js#PriceIndexModel",
      PriceIndexValue: "../graphql/resolvers/models.js#PriceIndexValueModel",
      PriceIndexInstrument: "../graphql/resolvers/models.js#PriceIndexInstrumentModel",
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
      Forecast: "../actions/foresight/forecast.js#ForecastReport",
      Anomalies: "../graphql/resolvers/models.js#AnomaliesModel",
      Announcement: "../graphql/resolvers/models.js#AnnouncementModel",
      ManagedAnnouncement: "../graphql/resolvers/models.js#ManagedAnnouncementModel",
      ManagedAnnouncementConnection: "../graphql/resolvers/models.js#ManagedAnnouncementConnectionModel",
      Insight: "../graphql/resolvers/models.js#InsightModel",
      EmissionContribution: "../graphql/resolvers/models.js#EmissionContributionModel",
      AnomalyAcknowledgement: "../data/foresight/acknowledgements.js#AcknowledgementRow",
      AnomalySeries: "../domain/foresight/finding-id.js#SeriesKey",
      Anomaly: "../graphql/resolvers/models.js#AnomalyModel",
      AnomalyConnection: "../graphql/resolvers/models.js#AnomalyConnectionModel",
      Predictions: "../actions/foresight/forecast.js#PredictionReport",
      Conversation: "../data/chat/conversations.js#ConversationRow",
      ConversationConnection: "../graphql/resolvers/models.js#ConversationConnectionModel",
      ChatMessage: "../data/chat/conversations.js#MessageRow",
      ChatAnswer: "../actions/chat/rules.js#Answer",
      VerificationRequest: "../graphql/resolvers/models.js#VerificationRequestModel",
      Verifier: "../data/verification/requests.js#VerifierRow",
      VerificationSnapshot: "../data/verification/requests.js#SnapshotRow",
      ScopeTotal: "../graphql/resolvers/models.js#ScopeTotalModel",
      VerificationFinding: "../data/verification/details.js#FindingRow",
      VerificationRecord: "../data/verification/details.js#VerifiedRecordRow",
      Certificate: "../data/verification/certificates.js#CertificateRow",
      VerificationRequestConnection: "../graphql/resolvers/models.js#VerificationRequestConnectionModel",
      VerificationRecordConnection: "../graphql/resolvers/models.js#VerificationRecordConnectionModel",
      CertificateConnection: "../graphql/resolvers/models.js#CertificateConnectionModel",
      NewVerificationRequest: "../graphql/resolvers/models.js#WrittenModel",
      AuditLog: "../graphql/resolvers/models.js#Empty",
      AuditEntry: "../graphql/resolvers/models.js#AuditEntryModel",
      AuditHead: "../graphql/resolvers/models.js#AuditHeadModel",
      AuditVerification: "../graphql/resolvers/models.js#AuditVerificationModel",
      AuditEntryConnection: "../graphql/resolvers/models.js#AuditEntryConnectionModel",
    },
  },
  plugins: [{ typescript: { enumValues: enums } }, { resolvers: {} }],
  pluginMap: { typescript, resolvers },
});
await writeFile(`${OUTPUT}/resolvers.ts`, resolverTypes);

interface Operation {
  /** Such as `ExtMarketQuery`. */
  name: string;
  /** With the fragments that it spreads. */
  text: string;
}

/** Writes the types of a folder's operations, and the function that gives a text its types; returns the operations. */
async function writeOperations(
  folder: string,
  filename: string,
  scalars: typeof config.scalars | Record<string, string>,
): Promise<Operation[]> {
  const plucked = await pluckDocuments(folder);
  const types = await codegen({
    filename,
    schema,
    documents: plucked.map(({ name, document }) => ({ location: name, document })),
    config: { ...config, scalars },
    plugins: [{ operations: {} }],
    pluginMap: { operations },
  });
  const overloads = plucked.map(({ name, text, isFragment }) => {
    const type = isFragment ? "void" : `TypedOperation<${name}, ${name}Variables>`;
    return `export function graphql(source: ${JSON.stringify(text)}): ${type};`;
  });
  const written = plucked
    .filter(({ isFragment }) => !isFragment)
    .map(({ name, text, document }) => {
      const fragments = [...listFragments(document, plucked)].map((fragment) => fragment.text).join("");
      return { name, text: text + fragments, source: text, fragments };
    });
  const spread = written.filter(({ fragments }) => fragments !== "");
  await writeFile(
    filename,
    `${types}
/** The text of an operation with variables of type \`Variables\` and a result of type \`Data\`. */
export interface TypedOperation<Data, Variables> {
  readonly source: string;
  readonly types?: [data: Data, variables: Variables];
}
/** The fragments of the operations that spread some. */
const FRAGMENTS = new Map<string, string>(${JSON.stringify(spread.map(({ source, fragments }) => [source, fragments]))});
${overloads.join("\n")}
export function graphql(source: string): TypedOperation<never, never> & void {
  return { source: source + (FRAGMENTS.get(source) ?? "") } as TypedOperation<never, never> & void;
}
`,
  );
  return written;
}

await writeOperations("src/rest", `${OUTPUT}/operations.ts`, config.scalars);
await writeOperations("src/actions/chat", `${OUTPUT}/chat.ts`, config.scalars);
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

const catalogued = (await readdir("src/operations", { recursive: true }))
  .filter((file) => file.endsWith(".graphql"))
  .map((file) => file.replaceAll("\\", "/"));
const texts: Record<string, string> = {};
for (const file of catalogued.sort()) texts[file] = await readFile(`src/operations/${file}`, "utf8");
await writeFile(
  `${OUTPUT}/catalogue.ts`,
  `/** The documents of the catalogue by the paths of their files. */
export const OPERATIONS: Readonly<Record<string, string>> = ${JSON.stringify(texts)};
/** Values of properties by type and field, for examples. */
export const EXAMPLES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = ${await readFile("src/operations/examples.json", "utf8")};
`,
);
