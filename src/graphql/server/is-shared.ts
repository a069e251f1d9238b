import {
  BREAK,
  type DocumentNode,
  type GraphQLField,
  type GraphQLSchema,
  isObjectType,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from "graphql";
import type { Context } from "../../access/context.js";
import { readDirective } from "../schema/read-directive.js";
import { requiredScopes } from "../schema/scope-directive.js";

const DIRECTIVE = "uncached";

/**
 * Creates the function that returns true if the cache may share a document's answer among all callers of an
 * organization with the same scopes. It returns false if a field has `@uncached`, or is a field of Query that requires
 * no scope.
 */
export function createSharedCheck(schema: GraphQLSchema): (document: DocumentNode) => boolean {
  const unshared = listUnshared(schema);
  const known = new WeakMap<DocumentNode, boolean>();
  return (document) => {
    const found = known.get(document);
    if (found !== undefined) return found;
    const types = new TypeInfo(schema);
    let shared = true;
    const Field = () => {
      const field = types.getFieldDef();
      if (field && !unshared.has(field)) return undefined;
      shared = false;
      return BREAK;
    };
    visit(document, visitWithTypeInfo(types, { Field }));
    known.set(document, shared);
    return shared;
  };
}

function listUnshared(schema: GraphQLSchema): ReadonlySet<GraphQLField<unknown, Context>> {
  const query = schema.getQueryType();
  const unshared = Object.values(schema.getTypeMap())
    .filter(isObjectType)
    .flatMap((type) =>
      Object.values(type.getFields()).filter(
        (field) =>
          readDirective(schema, field, DIRECTIVE) ||
          (type === query && requiredScopes(schema, field).length === 0),
      ),
    );
  return new Set(unshared);
}
