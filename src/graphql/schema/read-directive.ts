import { type ConstDirectiveNode, type GraphQLSchema, getDirectiveValues } from "graphql";

/** A part of the schema. */
interface Annotated {
  readonly astNode?: { readonly directives?: readonly ConstDirectiveNode[] } | null | undefined;
}

/** Returns the arguments of a directive on a part of the schema, or undefined without it. */
export function readDirective(
  schema: GraphQLSchema,
  { astNode }: Annotated,
  name: string,
): Record<string, unknown> | undefined {
  const directive = schema.getDirective(name);
  return directive && astNode ? getDirectiveValues(directive, astNode) : undefined;
}
