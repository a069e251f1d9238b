import {
  type GraphQLArgument,
  type GraphQLEnumType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
} from "graphql";
import { snakeCase } from "../domain/texts/snake-case.js";

/** REST names that cannot be derived from the graph's, for fields of `$input`, to which `@as` cannot be applied. */
const INPUT_NAMES: ReadonlyMap<string, string> = new Map([
  ["isArchived", "archived"],
  ["isDismissible", "dismissible"],
  ["materialityPercent", "materiality_pct"],
]);

/** Returns the REST name of an input field, or of a path of fields. */
export const restNameOf = (path: string): string =>
  path.replaceAll(/[A-Za-z]\w*/g, (name) =>
    // A setting of the server, such as SMTP_URL, keeps its name.
    /^[A-Z_]+$/.test(name) ? name : (INPUT_NAMES.get(name) ?? snakeCase(name)),
  );

const inputNames = new WeakMap<GraphQLSchema, ReadonlySet<string>>();

/** Returns the names of a schema's arguments and input fields. */
function inputNamesOf(schema: GraphQLSchema): ReadonlySet<string> {
  const known = inputNames.get(schema);
  if (known) return known;
  const found = new Set<string>();
  for (const type of Object.values(schema.getTypeMap())) {
    if (!("getFields" in type)) continue;
    for (const field of Object.values(type.getFields())) {
      if (isInputObjectType(type)) found.add(field.name);
      else for (const { name } of field.args) found.add(name);
    }
  }
  inputNames.set(schema, found);
  return found;
}

/**
 * Spells arguments and input fields that a message names, such as `certificatesHeld`. Leaves values alone, which are in
 * quotes or follow `got`.
 */
export const spellInputs = (
  schema: GraphQLSchema,
  message: string,
  spell: (name: string) => string,
): string =>
  message.replace(/"(?:[^"\\]|\\.)*"|\bgot [^;)]*|\b[a-z][a-z\d]*[A-Z]\w*/g, (found) =>
    inputNamesOf(schema).has(found) ? spell(found) : found,
  );

/** Returns the values of an enum in REST's spelling, which is also the internal one. */
export const valuesOf = (type: GraphQLEnumType): string[] =>
  type.getValues().map(({ value }) => String(value));

type Spell = (description: string) => string;

const spellings = new WeakMap<GraphQLSchema, Spell>();

/** Returns the function that converts names in backticks in a schema description to REST's spelling. */
export function spellingOf(schema: GraphQLSchema): Spell {
  const known = spellings.get(schema) ?? createSpelling(schema);
  spellings.set(schema, known);
  return known;
}

function createSpelling(schema: GraphQLSchema): Spell {
  const values = new Map(
    Object.values(schema.getTypeMap())
      .filter(isEnumType)
      .flatMap((type) => type.getValues().map(({ name, value }) => [name, String(value)])),
  );
  const names = new Set(
    Object.values(schema.getTypeMap()).flatMap((type) =>
      "getFields" in type ? Object.values(type.getFields()).flatMap(listNames) : [],
    ),
  );
  return (description) =>
    description
      .replaceAll(/`([A-Z][A-Z0-9_]*)`/g, (whole, name: string) =>
        values.has(name) ? `\`${values.get(name)}\`` : whole,
      )
      // Units such as `kWh` look like names.
      .replaceAll(/`([a-z][A-Za-z0-9.]*)`/g, (whole, path: string) =>
        path.split(".").some((name) => names.has(name)) ? `\`${snakeCase(path)}\`` : whole,
      );
}

const listNames = (field: { readonly name: string; readonly args?: readonly GraphQLArgument[] }) => [
  field.name,
  ...(field.args ?? []).map(({ name }) => name),
];
