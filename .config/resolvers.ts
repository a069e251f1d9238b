import { type DocumentNode, Kind } from "graphql";

/** Enums whose values are also upper case inside the gateway. All others are lower case, as in REST and the database. */
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

/** The values inside the gateway of the enums of a schema, by the names that GraphQL has for them. */
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

/** Returns a module with the enums of a schema, and the objects that files of resolvers export as `… satisfies Resolvers`. */
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

/** The values of enums inside the gateway, by their names in GraphQL. */
export const enums = ${JSON.stringify(enums, null, 2)} as const;

/** The resolvers of src/graphql/resolvers. */
export const RESOLVERS = [${found.map(({ name }) => name).join(", ")}];
`;
}
