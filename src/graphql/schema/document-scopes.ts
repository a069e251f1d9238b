import { type DocumentNode, type GraphQLSchema, TypeInfo, visit, visitWithTypeInfo } from "graphql";
import type { RequiredScopes } from "../../domain/scopes.js";
import { requiredScopes } from "./scope-directive.js";

/** Returns the requirements of a document's fields, without duplicates. A caller must meet all of them. */
export function scopesOfDocument(schema: GraphQLSchema, document: DocumentNode): RequiredScopes[] {
  const requirements = new Map<string, RequiredScopes>();
  const types = new TypeInfo(schema);
  visit(
    document,
    visitWithTypeInfo(types, {
      Field() {
        const field = types.getFieldDef();
        const required = field ? requiredScopes(schema, field) : [];
        for (const alternatives of required) requirements.set(JSON.stringify(alternatives), alternatives);
      },
    }),
  );
  return [...requirements.values()];
}
