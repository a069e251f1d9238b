import {
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isRequiredArgument,
  isRequiredInputField,
} from "graphql";

/** An id that no object has. */
export const SAMPLE_ID = "6f1f9a52-6f4e-4c8b-9d57-2b8a9c0e7d16";

/** For each scalar, a literal that refers to no object. */
const SAMPLES: Readonly<Record<string, string>> = {
  String: '"x"',
  UUID: `"${SAMPLE_ID}"`,
  Boolean: "false",
  Int: "1",
  Float: "1",
  SafeInt: "1",
  Decimal: '"1"',
  Date: '"2026-11-01"',
  DateTime: '"2026-12-01T00:00:00Z"',
  Scope: '"read:emissions"',
  JSONObject: "{}",
  URL: '"https://example.org"',
};

/** For each field whose values are limited, a literal. */
const FIELDS: Readonly<Record<string, string>> = { cnCode: '"72083600"', country: '"IN"', year: "2025" };

/** For each input with optional fields that needs one of them, the fields to send. */
const CHANGES: Readonly<Record<string, string>> = {
  UpdateApiKeyInput: 'name: "x"',
  UpdateServiceAccountInput: 'name: "x"',
  UpdateFacilityInput: 'name: "x"',
  UpdateDeadlineInput: 'title: "x"',
  UpdateCctsPeriodInput: 'output: "1"',
  UpdateCbamDeclarationInput: "certificatesHeld: 1",
  MapDirectoryGroupInput: "role: VIEWER",
  UpdateWebhookEndpointInput: 'types: ["facility.*"]',
  UpdateEmissionRecordInput: 'note: "x"',
  UpdateBusinessMetricInput: 'value: "1"',
  UpdateReductionTargetInput: 'name: "x"',
};

/** Literals of optional fields and arguments to send, by name. */
type Optional = Readonly<Record<string, string>>;

function sampleOf(type: GraphQLInputType, name: string, optional: Optional): string {
  const nullable = getNullableType(type);
  if (isListType(nullable)) return `[${sampleOf(nullable.ofType, name, optional)}]`;
  if (FIELDS[name]) return FIELDS[name];
  if (isEnumType(nullable)) return nullable.getValues()[0]?.name ?? "";
  if (!isInputObjectType(nullable))
    return SAMPLES[nullable.name] ?? `"add a sample of ${nullable.name} to SAMPLES"`;
  const fields = Object.values(nullable.getFields());
  const given = fields
    .filter((field) => isRequiredInputField(field) || field.name in optional)
    .map((field) => `${field.name}: ${optional[field.name] ?? sampleOf(field.type, field.name, optional)}`);
  return `{ ${[...given, CHANGES[nullable.name] ?? []].flat().join(", ")} }`;
}

/** Returns every mutation of a schema by name, with arguments that refer to no object. */
export function mutationsOf(
  schema: GraphQLSchema,
  optional: Optional = {},
): [name: string, operation: string][] {
  return Object.values(schema.getMutationType()?.getFields() ?? {}).map(({ name, args, type }) => {
    const given = args
      .filter((arg) => isRequiredArgument(arg) || arg.name in optional)
      .map((arg) => `${arg.name}: ${optional[arg.name] ?? sampleOf(arg.type, arg.name, optional)}`);
    const call = given.length === 0 ? name : `${name}(${given.join(", ")})`;
    const selection = "getFields" in getNamedType(type) ? " { __typename }" : "";
    return [name, `mutation { ${call}${selection} }`];
  });
}
