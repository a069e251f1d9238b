import {
  type ASTVisitor,
  type DocumentNode,
  type FieldNode,
  GraphQLError,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type SelectionSetNode,
  type ValidationContext,
} from "graphql";

/** What one operation may ask for. Tokens are counted by the parser, the rest before anything is executed. */
export const QUERY_LIMITS = {
  tokens: 2_000,
  depth: 12,
  aliases: 30,
  rootFields: 20,
  directives: 50,
  cost: 5_000,
} as const;

type Measure = Exclude<keyof typeof QUERY_LIMITS, "tokens">;
type Measures = Record<Measure, number>;

const NAMES: Record<Measure, string> = {
  depth: "levels of depth",
  aliases: "aliases",
  rootFields: "root fields",
  directives: "directives",
  cost: "points of cost",
};

/** Rows that a list is taken to hold where the query does not say. */
const ASSUMED_ROWS = 10;
const MOST_ROWS = 100;

const INTROSPECTION_FIELDS = new Set(["__schema", "__type", "__typename"]);

/**
 * A validation rule that refuses operations over QUERY_LIMITS, and those of a kind that the schema does not have. It
 * depends on document and schema alone, as a rule must whose result is remembered for every caller of the same text.
 * Operations that only introspect are exempt from the limits.
 */
export function limitQueries(context: ValidationContext): ASTVisitor {
  return {
    Document(document) {
      const isExempt = isIntrospectionOnly(document);
      for (const definition of document.definitions) {
        if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
        const root = context.getSchema().getRootType(definition.operation);
        if (!root) {
          // Otherwise graphql finds out only when it executes, and takes it for a failure of the server.
          const message = `The schema has no ${definition.operation}: use a query.`;
          context.reportError(new GraphQLError(message, { nodes: definition }));
          continue;
        }
        if (isExempt) continue;
        const measures = measure(context.getSchema(), document, definition.selectionSet, root);
        for (const [name, limit] of Object.entries(QUERY_LIMITS)) {
          const estimate = measures[name as Measure];
          if (estimate === undefined || estimate <= limit) continue;
          context.reportError(
            new GraphQLError(
              `The operation has ${estimate} ${NAMES[name as Measure]}; at most ${limit} are allowed.`,
              { nodes: definition, extensions: { code: "BAD_USER_INPUT", limit, estimate } },
            ),
          );
        }
      }
    },
  };
}

/** Whether every operation of a document asks for `__schema`, `__type` and `__typename` only. */
export function isIntrospectionOnly(document: DocumentNode): boolean {
  const fragments = fragmentsOf(document);
  const visiting = new Set<string>();
  const onlyIntrospects = ({ selections }: SelectionSetNode): boolean =>
    selections.every((selection) => {
      if (selection.kind === Kind.FIELD) return INTROSPECTION_FIELDS.has(selection.name.value);
      if (selection.kind === Kind.INLINE_FRAGMENT) return onlyIntrospects(selection.selectionSet);
      const name = selection.name.value;
      const fragment = fragments.get(name);
      if (!fragment || visiting.has(name)) return false;
      visiting.add(name);
      const result = onlyIntrospects(fragment.selectionSet);
      visiting.delete(name);
      return result;
    });
  const operations = document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  return operations.length > 0 && operations.every((operation) => onlyIntrospects(operation.selectionSet));
}

function fragmentsOf(document: DocumentNode) {
  return new Map(
    document.definitions.flatMap((node) =>
      node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node] as const] : [],
    ),
  );
}

const NOTHING: Measures = { depth: 0, aliases: 0, rootFields: 0, directives: 0, cost: 0 };

/** Measures with every fragment counted where it is spread, each fragment computed once. */
function measure(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: SelectionSetNode,
  root: GraphQLNamedType,
): Measures {
  const fragments = fragmentsOf(document);
  const known = new Map<string, Measures>();

  const ofFragment = (name: string): Measures => {
    const fragment = fragments.get(name);
    if (!fragment) return NOTHING;
    const found = known.get(name);
    if (found) return found;
    // A fragment that spreads itself is refused by another rule; here it must only not loop.
    known.set(name, NOTHING);
    const measures = ofSelections(fragment.selectionSet, schema.getType(fragment.typeCondition.name.value));
    known.set(name, measures);
    return measures;
  };

  const ofField = (field: FieldNode, parent: GraphQLNamedType | undefined): Measures => {
    const definition = isObjectType(parent) ? parent.getFields()[field.name.value] : undefined;
    const type = definition && getNamedType(definition.type);
    const below = field.selectionSet ? ofSelections(field.selectionSet, type) : NOTHING;
    const nullable = definition && isNonNullType(definition.type) ? definition.type.ofType : definition?.type;
    const rows = isListType(nullable) ? rowsAskedFor(field) : 1;
    return {
      depth: below.depth + 1,
      aliases: below.aliases + (field.alias ? 1 : 0),
      rootFields: 1,
      directives: below.directives + (field.directives?.length ?? 0),
      cost: rows * (below.cost + (isCompositeType(type) ? 1 : 0)),
    };
  };

  const ofSelections = ({ selections }: SelectionSetNode, parent: GraphQLNamedType | undefined): Measures => {
    const parts = selections.map((selection): Measures => {
      if (selection.kind === Kind.FIELD) return ofField(selection, parent);
      const below =
        selection.kind === Kind.FRAGMENT_SPREAD
          ? ofFragment(selection.name.value)
          : ofSelections(
              selection.selectionSet,
              selection.typeCondition ? schema.getType(selection.typeCondition.name.value) : parent,
            );
      return { ...below, directives: below.directives + (selection.directives?.length ?? 0) };
    });
    return parts.reduce(
      (sum, part) => ({
        depth: Math.max(sum.depth, part.depth),
        aliases: sum.aliases + part.aliases,
        rootFields: sum.rootFields + part.rootFields,
        directives: sum.directives + part.directives,
        cost: sum.cost + part.cost,
      }),
      NOTHING,
    );
  };

  return ofSelections(operation, root);
}

/** `first` or `last` where it is written out; the most there can be where it is a variable. */
function rowsAskedFor(field: FieldNode): number {
  const argument = field.arguments?.find(({ name }) => name.value === "first" || name.value === "last");
  if (!argument) return ASSUMED_ROWS;
  return argument.value.kind === Kind.INT ? Math.max(Number(argument.value.value), 1) : MOST_ROWS;
}
