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
import { limitsOf } from "../../src/catalogue/directives.js";
import { MAX_PAGE_SIZE } from "../../src/domain/page.js";
import { SCHEMA_FILE } from "../../src/paths.js";

const schema = buildSchema(await readFile(SCHEMA_FILE, "utf8"));
const types = Object.values(schema.getTypeMap()).filter(
  (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
);
const fieldsOf = (type: GraphQLNamedType): GraphQLField<unknown, unknown>[] =>
  isObjectType(type) ? Object.values(type.getFields()) : [];

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
        const isPage = args.some((arg) => arg.name === "first");
        return size === undefined || !isPage ? [] : [[`${type.name}.${name}`, size] as const];
      }),
    );
    expect(sizes.filter(([, size]) => size !== MAX_PAGE_SIZE)).toEqual([]);
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
