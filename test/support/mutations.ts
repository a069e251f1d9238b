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

function sampleOf(type: GraphQLInputType): string {
  const nullable = getNullableType(type);
  if (isListType(nullable)) return `[${sampleOf(nullable.ofType)}]`;
  if (isEnumType(nullable)) return nullable.getValues()[0]?.name ?? "";
  if (!isInputObjectType(nullable))
    return SAMPLES[nullable.name] ?? `"add a sample of ${nullable.name} to SAMPLES"`;
  const fields = Object.values(nullable.getFields()).filter(isRequiredInputField);
  return `{ ${fields.map((field) => `${field.name}: ${sampleOf(field.type)}`).join(", ")} }`;
}

/** Returns every mutation of a schema by name, with arguments that refer to no object. */
export function mutationsOf(schema: GraphQLSchema): [name: string, operation: string][] {
  return Object.values(schema.getMutationType()?.getFields() ?? {}).map(({ name, args, type }) => {
    const given = args.filter(isRequiredArgument).map((arg) => `${arg.name}: ${sampleOf(arg.type)}`);
    const call = given.length === 0 ? name : `${name}(${given.join(", ")})`;
    const selection = "getFields" in getNamedType(type) ? " { __typename }" : "";
    return [name, `mutation { ${call}${selection} }`];
  });
}
