import { type DocumentNode, Kind } from "graphql";

/** Enums with upper-case values inside the gateway too. All others are lower case, as in REST and the database. */
const UPPER_CASE: ReadonlySet<string> = new Set([
  "CalculationNotice",
  "CbamNotice",
  "CbamQuarter",
  "ChatNotice",
  "ForecastNotice",
  "Framework",
  "GwpSet",
  "ImportQuestion",
  "InventoryGapCode",
]);

/** Returns the gateway's value for each GraphQL enum value, without the enums in UPPER_CASE. */
export function readEnums(schema: DocumentNode): Record<string, Record<string, string>> {
  const enums = schema.definitions.flatMap((definition) =>
    definition.kind === Kind.ENUM_TYPE_DEFINITION && !UPPER_CASE.has(definition.name.value)
      ? [definition]
      : [],
  );
  return Object.fromEntries(
    enums.map(({ name, values = [] }) => [
      name.value,
      Object.fromEntries(values.map((value) => [value.name.value, value.name.value.toLowerCase()])),
    ]),
  );
}

/** Returns a module with the enums, and the objects that resolver files export as `… satisfies Resolvers`. */
export function createResolverList(
  enums: ReturnType<typeof readEnums>,
  resolvers: readonly (readonly [file: string, text: string])[],
): string {
  const found = resolvers.flatMap(([file, text]) =>
    Array.from(
      text.matchAll(/^export const (\w+) = \{\n(?:(?!^\}).*\n)*?^\} satisfies Resolvers;$/gm),
      ([, name = ""]) => ({ name, file: file.replace(/\.ts$/, ".js") }),
    ),
  );
  return `${found.map(({ name, file }) => `import { ${name} } from "../graphql/resolvers/${file}";`).join("\n")}

/** The gateway's values of enums, by GraphQL name. */
export const enums = ${JSON.stringify(enums, null, 2)} as const;

/** Resolvers of src/graphql/resolvers. */
export const RESOLVERS = [${found.map(({ name }) => name).join(", ")}];
`;
}
