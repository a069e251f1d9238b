import {
  type ASTVisitor,
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getIntrospectionQuery,
  Kind,
  parse,
  type SelectionSetNode,
  type ValidationContext,
} from "graphql";
import type { Tier } from "../../domain/tiers.js";
import { AppError } from "../../errors.js";
import { fragmentsOf, type Operation, operationsOf } from "./operation.js";
import { type Measures, measure, printPath } from "./query-measures.js";

/** Limits of one operation. The parser counts the tokens; the rest is checked before execution. */
export const QUERY_LIMITS = {
  tokens: 2_000,
  depth: 12,
  aliases: 30,
  rootFields: 20,
  directives: 50,
  /** Nesting depth of lists and objects in the variables. The object that contains all variables counts as one. */
  variables: 12,
} as const;

/** Maximum cost of one operation by tier, in points: about one for each object it requests. */
export const COST_LIMITS: Readonly<Record<Tier, number>> = { free: 2_500, pro: 5_000, enterprise: 10_000 };

/** Maximum depth of introspection: that of the standard introspection query. */
const INTROSPECTION_DEPTH = 15;
/** Maximum number of times that one operation may request `__schema`. */
const MAX_SCHEMAS = 1;
/** Maximum number of objects in introspection, as a multiple of the standard introspection query's. */
const STANDARD_QUERIES = 1.5;

type Measure = Exclude<keyof Measures, "mostExpensive">;

const NAMES: Record<Measure, string> = {
  depth: "levels of depth",
  aliases: "aliases",
  rootFields: "root fields",
  directives: "directives",
  schemas: "fields `__schema`",
  cost: "cost points",
};

const LIMITS: Partial<Record<Measure, number>> = {
  depth: QUERY_LIMITS.depth,
  aliases: QUERY_LIMITS.aliases,
  rootFields: QUERY_LIMITS.rootFields,
  directives: QUERY_LIMITS.directives,
  schemas: MAX_SCHEMAS,
};

const introspectionLimits = new WeakMap<GraphQLSchema, Partial<Record<Measure, number>>>();

/** Returns the limits of introspection, which keep nesting and repetition from multiplying the schema. */
function limitsOfIntrospection(schema: GraphQLSchema): Partial<Record<Measure, number>> {
  let limits = introspectionLimits.get(schema);
  if (limits === undefined) {
    const everything = { specifiedByUrl: true, directiveIsRepeatable: true, inputValueDeprecation: true };
    const document = parse(getIntrospectionQuery({ ...everything, schemaDescription: true }));
    const [operation] = operationsOf(document);
    const standard = operation ? measure({ schema, document, operation, variables: {} }).cost : 0;
    limits = {
      depth: INTROSPECTION_DEPTH,
      aliases: QUERY_LIMITS.aliases,
      schemas: MAX_SCHEMAS,
      cost: Math.ceil(STANDARD_QUERIES * standard),
    };
    introspectionLimits.set(schema, limits);
  }
  return limits;
}

const INTROSPECTION_FIELDS = new Set(["__schema", "__type", "__typename"]);

/**
 * Creates a validation rule that refuses operations over QUERY_LIMITS, and all kinds of operation but `kinds`. It must
 * depend only on document and schema, because its result is cached for all callers. Introspection, which needs no key,
 * has its own limits.
 */
const limitOperations =
  (kinds: readonly string[], hint: string) =>
  (context: ValidationContext): ASTVisitor => {
    return {
      Document(document) {
        const schema = context.getSchema();
        const fragments = fragmentsOf(document);
        for (const operation of operationsOf(document)) {
          if (!kinds.includes(operation.operation)) {
            const message = `A ${operation.operation} is not supported here. ${hint}`;
            context.reportError(new GraphQLError(message, { nodes: operation }));
            continue;
          }
          const measures = measure({ schema, document, operation, variables: {} });
          const limits = onlyIntrospects(operation.selectionSet, fragments)
            ? limitsOfIntrospection(schema)
            : LIMITS;
          for (const [name, max] of Object.entries(limits) as [Measure, number][]) {
            const { estimate, message, limit } = excess(name, measures, max);
            if (message === null) continue;
            const extensions = { code: "BAD_USER_INPUT", measure: name, limit, estimate };
            context.reportError(new GraphQLError(message, { nodes: operation, extensions }));
          }
        }
      },
    };
  };

/** Validation rule for queries and mutations. */
export const limitQueries = limitOperations(
  ["query", "mutation"],
  "Send a query or a mutation, and a subscription to POST /graphql/stream.",
);

const limitStreams = limitOperations(
  ["subscription"],
  "Send a subscription, and a query or a mutation to POST /graphql.",
);

/** Validation rule for subscriptions. Refuses a conditional root field, without which there is nothing to stream. */
export function limitSubscriptions(context: ValidationContext): ASTVisitor {
  return {
    ...limitStreams(context),
    Directive(node) {
      const { value: name } = node.name;
      if (context.getParentType() !== context.getSchema().getSubscriptionType()) return;
      if (name !== "skip" && name !== "include") return;
      const message = `@${name} is not supported on the root of a subscription.`;
      context.reportError(new GraphQLError(message, { nodes: node }));
    },
  };
}

/** Throws BAD_USER_INPUT if the values of variables are nested more deeply than QUERY_LIMITS allows. */
export function requireShallow(variables: Operation["variables"]): void {
  const limit = QUERY_LIMITS.variables;
  if (!isDeeperThan(limit, variables)) return;
  const message = `The operation's variables are nested too deeply; at most ${limit} levels are allowed.`;
  throw new AppError("BAD_USER_INPUT", message, { extensions: { measure: "variables", limit } });
}

/**
 * Returns the cost of an operation in points: one for each object it requests, so nested lists multiply. Throws
 * BAD_USER_INPUT, with the most expensive field, if the cost is over the tier's limit.
 */
export function requireAffordable(operation: Operation, tier: Tier): number {
  const measures = measure(operation);
  const { estimate, message, limit } = excess("cost", measures, COST_LIMITS[tier]);
  if (message === null) return estimate;
  const { mostExpensive } = measures;
  const max = { field: printPath(mostExpensive.path), cost: finite(mostExpensive.cost) };
  throw new AppError(
    "BAD_USER_INPUT",
    `${message} The most expensive field is ${max.field}, with ${max.cost} of them.`,
    { extensions: { measure: "cost", limit, estimate, mostExpensive: max } },
  );
}

/** Returns the cost of a document with one operation. Throws like `requireAffordable`. */
export function costOfDocument(
  schema: GraphQLSchema,
  document: DocumentNode,
  variables: Readonly<Record<string, unknown>>,
  tier: Tier,
): number {
  const [operation] = operationsOf(document);
  return operation ? requireAffordable({ schema, document, operation, variables }, tier) : 0;
}

function excess(name: Measure, measures: Measures, limit: number) {
  const estimate = finite(measures[name]);
  const message =
    estimate <= limit
      ? null
      : `The operation has ${estimate} ${NAMES[name]}; at most ${limit} ${limit === 1 ? "is" : "are"} allowed.`;
  return { estimate, limit, message };
}

/**
 * Returns a whole number that JSON can represent: nested fragments soon reach infinity, and introspection has averages.
 */
const finite = (count: number) => Math.min(Math.ceil(count), Number.MAX_SAFE_INTEGER);

/**
 * Returns true if a value has more than `levels` levels. Stops there, because walking very deep JSON would overflow the
 * stack.
 */
function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(levels - 1, inner));
}

/**
 * Returns true if the named operation requests only `__schema`, `__type` and `__typename`. Without a name, all
 * operations of the document must.
 */
export function isIntrospectionOnly(document: DocumentNode, operationName?: string | null): boolean {
  const fragments = fragmentsOf(document);
  const operations = operationsOf(document).filter(
    ({ name }) => operationName == null || name?.value === operationName,
  );
  return (
    operations.length > 0 && operations.every(({ selectionSet }) => onlyIntrospects(selectionSet, fragments))
  );
}

function onlyIntrospects(selectionSet: SelectionSetNode, fragments: ReturnType<typeof fragmentsOf>): boolean {
  const known = new Map<string, boolean>();
  const introspects = ({ selections }: SelectionSetNode): boolean =>
    selections.every((selection) => {
      if (selection.kind === Kind.FIELD) return INTROSPECTION_FIELDS.has(selection.name.value);
      if (selection.kind === Kind.INLINE_FRAGMENT) return introspects(selection.selectionSet);
      const name = selection.name.value;
      const fragment = fragments.get(name);
      if (!fragment) return false;
      // Checks each fragment once. A fragment that spreads itself does not count as introspection.
      if (!known.has(name)) {
        known.set(name, false);
        known.set(name, introspects(fragment.selectionSet));
      }
      return known.get(name) === true;
    });
  return introspects(selectionSet);
}
