import { readFile } from "node:fs/promises";
import {
  buildSchema,
  type FieldDefinitionNode,
  type GraphQLField,
  type GraphQLNamedType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isIntrospectionType,
  isListType,
  isObjectType,
  isSpecifiedDirective,
  isSpecifiedScalarType,
  Kind,
} from "graphql";
import { describe, expect, it } from "vitest";
import { MAX_DELETED } from "../../src/actions/emissions/delete-records.js";
import { CALCULATION_NOTICES } from "../../src/actions/factors/calculate.js";
import { MAX_MATCHED } from "../../src/actions/factors/search/search-factors.js";
import { MAX_TARGETS } from "../../src/actions/inventory/change-targets.js";
import { MAX_INDEX_DAYS } from "../../src/actions/market/read-index.js";
import { MAX_PASSKEYS } from "../../src/actions/second-factors/use-passkeys.js";
import { limitsOf } from "../../src/catalogue/directives.js";
import { MAX_CHANGES } from "../../src/data/sync/changes.js";
import { MAX_AUDIENCE_VALUES } from "../../src/domain/announcements/announcement.js";
import { CBAM_SOURCE_KINDS } from "../../src/domain/cbam/cbam-rules.js";
import { CBAM_NOTICES, MAX_CBAM_LINES, MAX_PRECURSORS } from "../../src/domain/cbam/line.js";
import { CBAM_QUARTERS } from "../../src/domain/cbam/price.js";
import { FIRST_CBAM_YEAR, LAST_CBAM_YEAR } from "../../src/domain/cbam/years.js";
import {
  CHAT_NOTICES,
  MAX_FIGURES,
  MAX_MESSAGES,
  MAX_QUERIES,
  MAX_SOURCES,
} from "../../src/domain/chat/question.js";
import { MAX_METRICS } from "../../src/domain/emissions/metric-limits.js";
import { IMPORT_QUESTIONS } from "../../src/domain/emissions/questions.js";
import { RECALCULATION_OBSTACLES } from "../../src/domain/emissions/recalculation.js";
import { MAX_RECORDS } from "../../src/domain/emissions/record-rules.js";
import { EMISSION_SCOPES, FRAMEWORKS } from "../../src/domain/enums.js";
import { FORECAST_METHODS } from "../../src/domain/foresight/methods.js";
import { MAX_SET } from "../../src/domain/ghg/activity-mapping.js";
import { BASE_YEAR_FIGURES } from "../../src/domain/inventory/base-year.js";
import { RESTATEMENT_REASONS } from "../../src/domain/inventory/issue.js";
import { linesOf } from "../../src/domain/inventory/lines.js";
import { MAX_SERVICE_TOKENS } from "../../src/domain/keys/key-limits.js";
import { MAX_LIST_SIZE, MAX_PAGE_SIZE } from "../../src/domain/page.js";
import { SERVICE_SCOPES } from "../../src/domain/people/roles.js";
import { KEY_SCOPES, SCOPES } from "../../src/domain/scopes.js";
import { MAX_BREAK_GLASS } from "../../src/domain/sso/role-rules.js";
import { TIERS } from "../../src/domain/tiers.js";
import { MAX_TYPES } from "../../src/domain/webhooks/endpoint-health.js";
import { SCHEMA_FILE } from "../../src/paths.js";

const schema = buildSchema(await readFile(SCHEMA_FILE, "utf8"));
const types = Object.values(schema.getTypeMap()).filter(
  (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
);
const fieldsOf = (type: GraphQLNamedType): GraphQLField<unknown, unknown>[] =>
  isObjectType(type) ? Object.values(type.getFields()) : [];

/** Expected sizes of lists, by field, or by type and field. */
const LIST_SIZES: Readonly<Record<string, number>> = {
  "DeleteEmissionRecordsPayload.records": MAX_DELETED,
  byScope: EMISSION_SCOPES.length,
  "VerificationRequest.scopes": EMISSION_SCOPES.length,
  "SetActivityMappingsPayload.mappings": MAX_SET,
  "VerificationSnapshot.totals": EMISSION_SCOPES.length,
  frameworks: FRAMEWORKS.length,
  "ApiKey.scopes": KEY_SCOPES.length,
  "WebhookEndpoint.types": MAX_TYPES,
  "EventPage.items": MAX_LIST_SIZE,
  "Viewer.scopes": SCOPES.length,
  "SecondFactors.passkeys": MAX_PASSKEYS,
  "SingleSignOn.breakGlassIds": MAX_BREAK_GLASS,
  "Organization.callerScopes": SCOPES.length,
  "ServiceAccount.scopes": SERVICE_SCOPES.admin.length,
  "ServiceAccount.tokens": MAX_SERVICE_TOKENS,
  "CallingServiceAccount.scopes": SERVICE_SCOPES.admin.length,
  notices: CALCULATION_NOTICES.length,
  // About one for each year from 1990 to 2100.
  "Query.inventoryPolicies": 100,
  "InventoryPolicy.scopes": EMISSION_SCOPES.length,
  // More than most entities have.
  "Entity.holdings": 10,
  // As in EFRAG's sample.
  "VsmeReport.facts": 27,
  "VsmeReport.absent": 16,
  "InventoryPolicyRef.scopes": EMISSION_SCOPES.length,
  "InventoryIssue.reasons": RESTATEMENT_REASONS.length,
  "BaseYearStatus.figures": BASE_YEAR_FIGURES.length,
  "ReductionTarget.scopes": EMISSION_SCOPES.length,
  // The most targets of an organization, each of about 30 years.
  "Query.reductionTargets": MAX_TARGETS,
  "ReductionTarget.path": 30,
  "Inventory.scopes": EMISSION_SCOPES.length,
  "Inventory.lines": linesOf(EMISSION_SCOPES).length,
  // Few in most inventories, and separately limited in number.
  "Inventory.unmapped": 1,
  "Inventory.gaps": 10,
  "InventoryLineAmount.methods": 1,
  "InventoryScope2.facilities": 10,
  // One for each kind.
  "InventoryScope2.instruments": 3,
  "EmissionFactor.matched": MAX_MATCHED,
  // More publications than cover any activity in a region.
  "Calculation.precedence": 3,
  "CalculationError.available": 20,
  "Changes.items": MAX_CHANGES,
  "CalculationError.nearest": 3,
  "CalculationError.differBy": 6,
  "CalculationError.candidates": 10,
  "Backtest.methods": FORECAST_METHODS.length,
  intensities: MAX_METRICS,
  missingMonths: 12,
  // More than the catalogue has for any framework.
  "Compliance.cataloguedDeadlines": 20,
  "AdoptDeadlinesPayload.addedDeadlines": 20,
  "AdoptDeadlinesPayload.presentDeadlines": 20,
  // As many as were requested, up to a page.
  results: MAX_PAGE_SIZE,
  lines: MAX_CBAM_LINES,
  byYear: LAST_CBAM_YEAR - FIRST_CBAM_YEAR + 1,
  acceptedQuestions: IMPORT_QUESTIONS.length,
  "CbamEstimate.sources": CBAM_SOURCE_KINDS.length,
  "CbamLine.sources": CBAM_SOURCE_KINDS.length,
  "CbamLine.notices": CBAM_NOTICES.length,
  "CbamDeclaration.notices": CBAM_NOTICES.length,
  holdings: CBAM_QUARTERS.length,
  precursors: MAX_PRECURSORS,
  "PriceIndex.values": MAX_INDEX_DAYS,
  // The instruments of the gateway's own index.
  "PriceIndexValue.instruments": 5,
  points: 12,
  predictions: 3,
  confidence: 5,
  prediction: 5,
  excludedMonths: 60,
  notEvaluated: 100,
  skippedSeries: 100,
  recordIds: 20,
  byTier: TIERS.length,
  topConsumers: 10,
  feeds: 10,
  jobs: 10,
  "Forecast.notices": 1,
  "Insight.figures": 6,
  "ChatAnswer.notices": CHAT_NOTICES.length,
  "ChatAnswer.figures": MAX_FIGURES,
  queries: MAX_QUERIES,
  "ChatAnswer.sources": MAX_SOURCES,
  followUps: 6,
  messages: MAX_MESSAGES,
  activeAnnouncements: 20,
  audienceValues: MAX_AUDIENCE_VALUES,
  // As many as were sent.
  "CreateEmissionRecordsPayload.records": MAX_RECORDS,
  "RecalculateEmissionRecordsPayload.obstacles": RECALCULATION_OBSTACLES.length,
  // The first page of them.
  "RecalculateEmissionRecordsPayload.records": MAX_PAGE_SIZE,
};
/** Returns the size that `@listSize` declares for a field. */
function sizeOf(node: FieldDefinitionNode | null | undefined): number | undefined {
  const size = node?.directives?.find(({ name }) => name.value === "listSize")?.arguments?.[0]?.value;
  return size?.kind === Kind.INT ? Number(size.value) : undefined;
}

/** Everything named in schema.graphql, by path, with its description. */
const described: [path: string, description: string][] = [
  ...schema.getDirectives().filter((directive) => !isSpecifiedDirective(directive)),
  ...types,
].flatMap((node) => {
  const members =
    "getFields" in node || isEnumType(node as GraphQLNamedType) ? membersOf(node as GraphQLNamedType) : [];
  return [[node.name, node.description ?? ""], ...members] as [string, string][];
});

function membersOf(type: GraphQLNamedType): [string, string][] {
  const values = isEnumType(type) ? type.getValues() : [];
  const inputs = isInputObjectType(type) ? Object.values(type.getFields()) : [];
  return [
    ...[...values, ...inputs].map(
      ({ name, description }) => [`${type.name}.${name}`, description ?? ""] as [string, string],
    ),
    ...fieldsOf(type).flatMap(({ name, description, args }) => [
      [`${type.name}.${name}`, description ?? ""] as [string, string],
      // An input is described by its type.
      ...args
        .filter((arg) => arg.name !== "input" || arg.description)
        .map((arg) => [`${type.name}.${name}(${arg.name})`, arg.description ?? ""] as [string, string]),
    ]),
  ];
}

describe("schema.graphql", () => {
  it("describes every type, field, input, argument, value and directive in a sentence", () => {
    expect(described.length).toBeGreaterThan(100);
    expect(
      described.filter(([, text]) => !/^[A-Z0-9`][\s\S]{8,}\.$/.test(text)).map(([path]) => path),
    ).toEqual([]);
  });

  it("gives every mutation one input and one payload, both named after it", () => {
    const mutations = Object.values(schema.getMutationType()?.getFields() ?? {});
    const forms = mutations.map(({ name, args, type }) => [
      name,
      args.map((arg) => `${arg.name}: ${String(arg.type)}`).join(", "),
      String(type),
      isObjectType(type),
    ]);
    // Their inputs are a list and a JSON merge patch.
    const others: Readonly<Record<string, string>> = {
      createEmissionRecords: "input: [EmissionRecordInput!]!, accept: [ImportQuestion!]",
      setActivityMappings: "input: [ActivityMappingInput!]!",
      updateNotificationPreferences: "patch: JSONObject!, expectedVersion: Int",
    };
    expect(forms).toEqual(
      mutations.map(({ name }) => {
        const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
        return [name, others[name] ?? `input: ${type}Input!`, `${type}Payload`, true];
      }),
    );
  });

  it("names the unit of every amount", () => {
    const units = /tonnes?|tCO2e|kilograms|kg CO2e per kWh|[kM]Wh|percent|`unit`|without unit|credits?/i;
    const amounts = types.flatMap((type) =>
      fieldsOf(type)
        .filter(
          (field) =>
            ["Float", "Decimal"].includes(getNamedType(field.type).name) ||
            /credits|quantity/i.test(field.name),
        )
        .filter((field) => !isObjectType(getNamedType(field.type)))
        .map((field) => [`${type.name}.${field.name}`, field.description ?? ""] as const),
    );
    expect(amounts.map(([path]) => path)).toEqual(
      expect.arrayContaining([
        "Emissions.totalCo2eTonnes",
        "Emissions.totalCo2eTonnesExact",
        "CreditTypeQuantity.quantity",
        "Benchmark.intensity",
        "MarketPrice.price",
        "MarketPrice.changePercent24h",
      ]),
    );
    expect(amounts.filter(([, description]) => !units.test(description))).toEqual([]);
  });

  it("has a Float next to each exact amount, and a name ending in Exact for each Decimal", () => {
    const amounts = types.flatMap((type) =>
      fieldsOf(type).map(({ name, type: of }) => ({
        path: `${type.name}.${name}`,
        isExact: name.endsWith("Exact"),
        isDecimal: String(getNullableType(of)) === "Decimal",
        twin: isObjectType(type) ? type.getFields()[name.replace(/Exact$/, "")] : undefined,
      })),
    );
    expect(amounts.filter(({ isExact, isDecimal }) => isExact !== isDecimal)).toEqual([]);
    const lone = amounts.filter(
      ({ isExact, twin }) =>
        isExact && !["Float", "SafeInt"].includes(twin ? String(getNullableType(twin.type)) : ""),
    );
    expect(lone.map(({ path }) => path)).toEqual([]);
  });

  it("bounds every list: by a size, a step, its page, or a stated maximum length", () => {
    const unbounded = types.flatMap((type) =>
      fieldsOf(type)
        .filter(({ type: listed }) => isListType(getNullableType(listed)))
        .filter(
          ({ args }) =>
            !args.some(
              ({ name, defaultValue }) =>
                name === "step" || name === "days" || (name === "first" && defaultValue),
            ),
        )
        .filter(({ astNode }) => !type.name.endsWith("Connection") && sizeOf(astNode) === undefined)
        .map(({ name }) => `${type.name}.${name}`),
    );
    expect(unbounded).toEqual([]);
    const sizes = types.flatMap((type) =>
      fieldsOf(type).flatMap(({ name, args, astNode }) => {
        const size = sizeOf(astNode);
        const expected = args.some((arg) => arg.name === "first")
          ? MAX_PAGE_SIZE
          : (LIST_SIZES[`${type.name}.${name}`] ?? LIST_SIZES[name]);
        return size === undefined ? [] : [[`${type.name}.${name}`, size, expected]];
      }),
    );
    expect(sizes.filter(([, size, expected]) => size !== expected)).toEqual([]);
  });

  it("declares the length of every text of an input, as its description states it", () => {
    const texts = Object.values(schema.getTypeMap())
      .filter(isInputObjectType)
      .flatMap((type) =>
        Object.values(type.getFields()).map((field) => ({
          name: `${type.name}.${field.name}`,
          isText: String(getNullableType(field.type)) === "String",
          // "1 to 20 capital letters" is a format.
          stated: /([\d,]+) characters/.exec(field.description ?? "")?.[1]?.replaceAll(",", ""),
          declared: limitsOf(field.astNode ?? {})["most"],
        })),
      )
      .filter(({ isText, stated, declared }) => isText && (stated ?? declared) !== undefined);
    expect(texts.length).toBeGreaterThan(60);
    expect(texts.filter(({ stated, declared }) => Number(stated) !== declared)).toEqual([]);
  });

  it("states what every count of a page costs", () => {
    const counts = types.flatMap((type) => fieldsOf(type).filter(({ name }) => name === "totalCount"));
    const costs = counts.map(({ astNode }) => astNode?.directives?.some(({ name }) => name.value === "cost"));
    expect(counts.length).toBeGreaterThan(0);
    expect(costs).not.toContain(false);
  });

  it("uses a 32-bit Int only for counts that cannot exceed it", () => {
    const ints = types.flatMap((type) =>
      fieldsOf(type).flatMap((field) =>
        getNamedType(field.type).name === "Int" ? [`${type.name}.${field.name}`] : [],
      ),
    );
    // Versions count the changes of one row.
    expect(ints.filter((path) => !/\.(version|vintage|year|\w+Year)$/.test(path))).toEqual([
      "TestWebhookEndpointPayload.status",
      // At most 10,000 at once.
      "ResendWebhookDeliveriesPayload.count",
      "UndoImportPayload.facilitiesRemoved",
      "WebhookDelivery.attempts",
      "WebhookDelivery.lastStatus",
      "SecondFactors.recoveryCodesLeft",
      "RateLimit.limit",
      "RateLimit.used",
      "RateLimit.remaining",
      "CalculationError.candidateCount",
      "Deadline.daysRemaining",
      "PriceIndex.staleAfterDays",
      "PriceIndex.methodologyVersion",
      "PriceIndexInstrument.ageDays",
      "MarketPrice.ageDays",
      // An import creates at most as many facilities as an organization may have.
      "Import.facilitiesCreated",
      "Forecast.n",
      "Backtest.folds",
      "Predictions.n",
      "Prediction.horizon",
      // Bounded by the number of facilities.
      "Anomalies.evaluatedSeries",
      "Anomalies.evaluatedMonths",
      "Anomaly.periods",
      "ChatMessage.position",
      "VerificationSnapshot.number",
      "VerificationFinding.snapshotNumber",
      "InventoryPolicy.yearStartsIn",
      "InventoryCompleteness.included",
      "InventoryCompleteness.notRelevant",
      "InventoryCompleteness.notEstimated",
      "InventoryCompleteness.missing",
      "InventoryIssueRef.issue",
      "InventoryIssue.issue",
      "BaseYearStatus.issue",
    ]);
  });
});
