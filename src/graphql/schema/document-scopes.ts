import { type DocumentNode, type GraphQLSchema, TypeInfo, visit, visitWithTypeInfo } from "graphql";
import type { Scope } from "../../domain/scopes.js";
import { requiredScopes } from "./scope-directive.js";

/**
 * Returns the scopes that the fields of a document require, without duplicates. Leaves out alternatives, of which a caller
 * needs only one: the fields check them.
 */
export function scopesOfDocument(schema: GraphQLSchema, document: DocumentNode): Scope[] {
  const scopes = new Set<Scope>();
  const types = new TypeInfo(schema);
  visit(
    document,
    visitWithTypeInfo(types, {
      Field() {
        const field = types.getFieldDef();
        const required = field ? requiredScopes(schema, field) : [];
        for (const alternatives of required)
          if (alternatives.length === 1) for (const scope of alternatives.flat()) scopes.add(scope);
      },
    }),
  );
  return [...scopes];
}
