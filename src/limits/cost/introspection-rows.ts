import { type GraphQLSchema, isEnumType, isInputObjectType, isObjectType } from "graphql";

const known = new WeakMap<GraphQLSchema, ReadonlyMap<string, number>>();

/** Returns the average lengths of the lists in a schema's introspection, by type and field, such as `__Type.fields`. */
export function rowsOfIntrospection(schema: GraphQLSchema): ReadonlyMap<string, number> {
  const found = known.get(schema) ?? countRows(schema);
  known.set(schema, found);
  return found;
}

function countRows(schema: GraphQLSchema): ReadonlyMap<string, number> {
  const types = Object.values(schema.getTypeMap());
  const directives = schema.getDirectives();
  const fields = types.filter(isObjectType).flatMap((type) => Object.values(type.getFields()));
  const inputFields = types.filter(isInputObjectType).flatMap((type) => Object.values(type.getFields()));
  const values = types.filter(isEnumType).flatMap((type) => type.getValues());
  const argumentsOf = (owners: readonly { readonly args: readonly unknown[] }[]) =>
    owners.reduce((sum, { args }) => sum + args.length, 0);
  return new Map([
    ["__Schema.types", types.length],
    ["__Schema.directives", directives.length],
    ["__Type.fields", fields.length / types.length],
    ["__Type.inputFields", inputFields.length / types.length],
    ["__Type.enumValues", values.length / types.length],
    // The schema has no interfaces or unions. Still not 0, because nested fragments reach infinity, and 0 times
    // infinity is NaN.
    ["__Type.interfaces", 1 / types.length],
    ["__Type.possibleTypes", 1 / types.length],
    ["__Field.args", argumentsOf(fields) / fields.length],
    ["__Directive.args", argumentsOf(directives) / directives.length],
  ]);
}
