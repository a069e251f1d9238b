import { type DocumentNode, type GraphQLSchema, TypeInfo, visit, visitWithTypeInfo } from "graphql";
import type { Scope } from "../../domain/scopes.js";
import { requiredScopes } from "./scope-directive.js";

/** Returns the scopes that the fields of a document require, without duplicates. */
export function scopesOfDocument(schema: GraphQLSchema, document: DocumentNode): Scope[] {
  const scopes = new Set<Scope>();
  const types = new TypeInfo(schema);
  visit(
    document,
    visitWithTypeInfo(types, {
      Field() {
        const field = types.getFieldDef();
        for (const scope of field ? requiredScopes(schema, field).flat(2) : []) scopes.add(scope);
      },
    }),
  );
  return [...scopes];
}
