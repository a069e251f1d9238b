import { type GraphQLSchema, getNamedType, isAbstractType, isObjectType } from "graphql";
import { requireAccess } from "../../access/context.js";
import { requireScopes } from "../../access/require-scopes.js";
import { describeScopes, isScope, type RequiredScopes } from "../../domain/scopes.js";
import { readDirective } from "./read-directive.js";
import { type Field, wrapFields } from "./wrap-fields.js";

const DIRECTIVE = "requiresScopes";

/**
 * Wraps the resolver of every field that has `@requiresScopes`, or returns a type that has it. The check reads only the
 * context, because I/O would split DataLoader's batches. Throws if a directive names no scope or an unknown one, or if
 * an interface or union leads to a type with scopes, which would bypass the check.
 */
export function enforceScopes(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isAbstractType(type)) continue;
    const scoped = schema.getPossibleTypes(type).find((possible) => scopesOn(schema, possible));
    if (scoped) throw new Error(`${scoped.name} requires scopes, but ${type.name} bypasses them`);
  }
  wrapFields(schema, (resolve, field) => {
    const required = requiredScopes(schema, field);
    if (required.length === 0) return resolve;
    // Explorers show descriptions, but not directives.
    field.description = [field.description, ...new Set(required.map(describeRequirement))].join("\n\n");
    return (source, args, context, info) => {
      const { principal } = requireAccess(context);
      for (const scopes of required) requireScopes(principal, scopes);
      return resolve(source, args, context, info);
    };
  });
}

/** Returns all requirements of a field: its own, and those of the type it returns. */
export function requiredScopes(
  schema: GraphQLSchema,
  field: Pick<Field, "type" | "astNode" | "extensions">,
): RequiredScopes[] {
  const type = getNamedType(field.type);
  const onField = scopesOn(schema, field);
  const onType = isObjectType(type) ? scopesOn(schema, type) : undefined;
  return [onField, onType].filter((scopes) => scopes !== undefined);
}

function scopesOn(
  schema: GraphQLSchema,
  node: Parameters<typeof readDirective>[1],
): RequiredScopes | undefined {
  const directive = readDirective(schema, node, DIRECTIVE);
  if (!directive) return undefined;
  const scopes = directive["scopes"] as string[][];
  const unknown = scopes.flat().find((scope) => !isScope(scope));
  if (unknown !== undefined || scopes.length === 0 || scopes.some(({ length }) => length === 0)) {
    throw new Error(`@${DIRECTIVE} needs at least one known scope, got ${unknown ?? "none"}`);
  }
  return scopes as RequiredScopes;
}

const describeRequirement = (required: RequiredScopes) => `Scope: \`${describeScopes(required)}\`.`;
