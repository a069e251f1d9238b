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
import {
  fragmentsOf,
  type Measures,
  measure,
  type Operation,
  operationsOf,
  printPath,
} from "./query-measures.js";

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

/** Levels that an operation which only introspects may have: as many as the standard query of client tools. */
const INTROSPECTION_DEPTH = 15;
/** How often one operation may ask for `__schema`. */
const MOST_SCHEMAS = 1;
/** Objects that introspection may ask for, in terms of those of the standard query. */
const STANDARD_QUERIES = 1.5;

type Measure = Exclude<keyof Measures, "dearest">;

const NAMES: Record<Measure, string> = {
  depth: "levels of depth",
  aliases: "aliases",
  rootFields: "root fields",
  directives: "directives",
  schemas: "fields `__schema`",
  cost: "points of cost",
};

const LIMITS: Partial<Record<Measure, number>> = {
  depth: QUERY_LIMITS.depth,
  aliases: QUERY_LIMITS.aliases,
  rootFields: QUERY_LIMITS.rootFields,
  directives: QUERY_LIMITS.directives,
  schemas: MOST_SCHEMAS,
};

const introspectionLimits = new WeakMap<GraphQLSchema, Partial<Record<Measure, number>>>();

/** What an operation may ask for that only introspects: nested, or repeated, it would multiply the schema by itself. */
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
      schemas: MOST_SCHEMAS,
      cost: Math.ceil(STANDARD_QUERIES * standard),
    };
    introspectionLimits.set(schema, limits);
  }
  return limits;
}

const INTROSPECTION_FIELDS = new Set(["__schema", "__type", "__typename"]);

/**
 * A validation rule that refuses operations over QUERY_LIMITS, and those of a kind that the schema does not have. It
 * depends on document and schema alone, as a rule must whose result is remembered for every caller of the same text.
 * Operations that only introspect, which need no key, have limits of their own.
 */
export function limitQueries(context: ValidationContext): ASTVisitor {
  return {
    Document(document) {
      const schema = context.getSchema();
      const fragments = fragmentsOf(document);
      for (const operation of operationsOf(document)) {
        if (!schema.getRootType(operation.operation)) {
          // Otherwise graphql finds out only when it executes, and takes it for a failure of the server.
          const message = `A ${operation.operation} is not supported: the graph is read-only. Use a query.`;
          context.reportError(new GraphQLError(message, { nodes: operation }));
          continue;
        }
        const measures = measure({ schema, document, operation, variables: {} });
        const limits = onlyIntrospects(operation.selectionSet, fragments)
          ? limitsOfIntrospection(schema)
          : LIMITS;
        for (const [name, most] of Object.entries(limits) as [Measure, number][]) {
          const { estimate, message, limit } = excess(name, measures, most);
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
 * nested ones multiply. Throws BAD_USER_INPUT if it is over the tier's limit, naming the most expensive field, or if its
 * variables are nested too deeply.
 */
export function requireAffordable(operation: Operation, tier: Tier): number {
  if (isDeeperThan(QUERY_LIMITS.variables, operation.variables)) {
    const message = `The operation's variables are nested too deeply; at most ${QUERY_LIMITS.variables} levels are allowed.`;
    const extensions = { measure: "variables", limit: QUERY_LIMITS.variables };
    throw new AppError("BAD_USER_INPUT", message, { extensions });
  }
  const measures = measure(operation);
  const { estimate, message, limit } = excess("cost", measures, COST_LIMITS[tier]);
  if (message === null) return estimate;
  const { dearest } = measures;
  const most = { field: printPath(dearest.path), cost: finite(dearest.cost) };
  throw new AppError(
    "BAD_USER_INPUT",
    `${message} The most expensive field is ${most.field}, with ${most.cost} of them.`,
    { extensions: { measure: "cost", limit, estimate, mostExpensive: most } },
  );
}

/** The cost of a document of one operation. Throws as `requireAffordable` does, for the lowest tier. */
export function costOfDocument(
  schema: GraphQLSchema,
  document: DocumentNode,
  variables: Readonly<Record<string, unknown>> = {},
): number {
  const [operation] = operationsOf(document);
  return operation ? requireAffordable({ schema, document, operation, variables }, "free") : 0;
}

function excess(name: Measure, measures: Measures, limit: number) {
  const estimate = finite(measures[name]);
  const message =
    estimate <= limit
      ? null
      : `The operation has ${estimate} ${NAMES[name]}; at most ${limit} ${limit === 1 ? "is" : "are"} allowed.`;
  return { estimate, limit, message };
}

/** JSON knows no infinity, which a few nested fragments reach. The lists of introspection are averages. */
const finite = (count: number) => Math.min(Math.ceil(count), Number.MAX_SAFE_INTEGER);

/** JSON can be nested so deeply that whatever walks through it overflows the stack; this looks no further than it must. */
function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(levels - 1, inner));
}

/**
 * Whether the operation that is meant asks for `__schema`, `__type` and `__typename` only; without a name, every
 * operation of the document has to.
 */
export function isIntrospectionOnly(document: DocumentNode, operationName?: string | null): boolean {
  const fragments = fragmentsOf(document);
  const meant = operationsOf(document).filter(
    ({ name }) => operationName == null || name?.value === operationName,
  );
  return meant.length > 0 && meant.every(({ selectionSet }) => onlyIntrospects(selectionSet, fragments));
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
      // Each fragment is looked at once, and one that spreads itself does not introspect.
      if (!known.has(name)) {
        known.set(name, false);
        known.set(name, introspects(fragment.selectionSet));
      }
      return known.get(name) === true;
    });
  return introspects(selectionSet);
}
