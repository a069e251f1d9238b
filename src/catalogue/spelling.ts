import { type GraphQLEnumType, type GraphQLSchema, isEnumType } from "graphql";
import { snakeCase } from "../domain/texts/snake-case.js";

export const capitalize = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** The values of an enum in REST's spelling, which is the gateway's own. */
export const valuesOf = (type: GraphQLEnumType): string[] =>
  type.getValues().map(({ value }) => String(value));

/** Makes the function that gives the names in a description of the schema, which are in backticks, REST's spelling. */
export function createSpelling(schema: GraphQLSchema): (description: string) => string {
  const values = new Map(
    Object.values(schema.getTypeMap())
      .filter(isEnumType)
      .flatMap((type) => type.getValues().map(({ name, value }) => [name, String(value)])),
  );
  return (description) =>
    description
      .replaceAll(/`([A-Z][A-Z0-9_]*)`/g, (whole, name: string) =>
        values.has(name) ? `\`${values.get(name)}\`` : whole,
      )
      .replaceAll(/`([a-z][A-Za-z0-9.]*)`/g, (_, name: string) => `\`${snakeCase(name)}\``);
}
