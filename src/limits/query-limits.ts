import {
  type ASTVisitor,
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  type SelectionSetNode,
  type ValidationContext,
} from "graphql";
import type { Tier } from "../domain/tiers.js";
import { AppError } from "../errors.js";
import { fragmentsOf, type Measures, measure, type Operation, operationsOf } from "./query-measures.js";

/** What one operation may ask for. Tokens are counted by the parser, the rest before anything is executed. */
export const QUERY_LIMITS = {
  tokens: 2_000,
  depth: 12,
  aliases: 30,
  rootFields: 20,
  directives: 50,
  /** Levels of lists and objects in the values of variables. */
  variables: 12,
} as const;

/** What one operation may cost: about as many points as objects that it asks for. */
export const COST_LIMITS: Readonly<Record<Tier, number>> = { free: 2_500, pro: 5_000, enterprise: 10_000 };

type Measure = Exclude<keyof Measures, "cost">;

const NAMES: Record<keyof Measures, string> = {
  depth: "levels of depth",
  aliases: "aliases",
  rootFields: "root fields",
  directives: "directives",
  cost: "points of cost",
};

const MEASURES: readonly Measure[] = ["depth", "aliases", "rootFields", "directives"];
const INTROSPECTION_MEASURES: readonly Measure[] = ["aliases"];

const INTROSPECTION_FIELDS = new Set(["__schema", "__type", "__typename"]);

/**
 * A validation rule that refuses operations over QUERY_LIMITS, and those of a kind that the schema does not have. It
 * depends on document and schema alone, as a rule must whose result is remembered for every caller of the same text.
 * Operations that only introspect, which need no key, are exempt from all limits but that of aliases: nested ones would
 * multiply the schema by itself.
 */
export function limitQueries(context: ValidationContext): ASTVisitor {
  return {
    Document(document) {
      const schema = context.getSchema();
      const isExempt = isIntrospectionOnly(document);
      for (const operation of operationsOf(document)) {
        if (!schema.getRootType(operation.operation)) {
          // Otherwise graphql finds out only when it executes, and takes it for a failure of the server.
          const message = `A ${operation.operation} is not supported: the graph is read-only. Use a query.`;
          context.reportError(new GraphQLError(message, { nodes: operation }));
          continue;
        }
        const measures = measure({ schema, document, operation, variables: {} });
        for (const name of isExempt ? INTROSPECTION_MEASURES : MEASURES) {
          const { estimate, message, limit } = excess(name, measures, QUERY_LIMITS[name]);
          if (message === null) continue;
          const extensions = { code: "BAD_USER_INPUT", measure: name, limit, estimate };
          context.reportError(new GraphQLError(message, { nodes: operation, extensions }));
        }
      }
    },
  };
}

/**
 * The cost of an operation: one point for each object, and lists count for as many as they are asked for, so that
 * nested ones multiply. Throws BAD_USER_INPUT where it is over the tier's limit, or its variables are nested too deeply.
 */
export function requireAffordable(operation: Operation, tier: Tier): number {
  if (isDeeperThan(QUERY_LIMITS.variables, operation.variables)) {
    const message = `The operation's variables are nested too deeply; at most ${QUERY_LIMITS.variables} levels are allowed.`;
    const extensions = { measure: "variables", limit: QUERY_LIMITS.variables };
    throw new AppError("BAD_USER_INPUT", message, { extensions });
  }
  const { estimate, message, limit } = excess("cost", measure(operation), COST_LIMITS[tier]);
  if (message === null) return estimate;
  throw new AppError("BAD_USER_INPUT", message, { extensions: { measure: "cost", limit, estimate } });
}

/** The cost of a document of one operation without variables. Throws as `requireAffordable` does, for the lowest tier. */
export function costOfDocument(schema: GraphQLSchema, document: DocumentNode): number {
  const [operation] = operationsOf(document);
  return operation ? requireAffordable({ schema, document, operation, variables: {} }, "free") : 0;
}

function excess(name: keyof Measures, measures: Measures, limit: number) {
  // JSON knows no infinity, which a few nested fragments reach.
  const estimate = Math.min(measures[name], Number.MAX_SAFE_INTEGER);
  const message =
    estimate <= limit ? null : `The operation has ${estimate} ${NAMES[name]}; at most ${limit} are allowed.`;
  return { estimate, limit, message };
}

/** JSON can be nested so deeply that whatever walks through it overflows the stack; this looks no further than it must. */
function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(levels - 1, inner));
}

/** Whether every operation of a document asks for `__schema`, `__type` and `__typename` only. */
export function isIntrospectionOnly(document: DocumentNode): boolean {
  const fragments = fragmentsOf(document);
  const known = new Map<string, boolean>();
  const onlyIntrospects = ({ selections }: SelectionSetNode): boolean =>
    selections.every((selection) => {
      if (selection.kind === Kind.FIELD) return INTROSPECTION_FIELDS.has(selection.name.value);
      if (selection.kind === Kind.INLINE_FRAGMENT) return onlyIntrospects(selection.selectionSet);
      const name = selection.name.value;
      const fragment = fragments.get(name);
      if (!fragment) return false;
      // Each fragment is looked at once, and one that spreads itself does not introspect.
      if (!known.has(name)) {
        known.set(name, false);
        known.set(name, onlyIntrospects(fragment.selectionSet));
      }
      return known.get(name) === true;
    });
  const operations = operationsOf(document);
  return operations.length > 0 && operations.every((operation) => onlyIntrospects(operation.selectionSet));
}
