import {
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from "graphql";

/** What is counted in an operation. `cost` is in points: one for each object, and rows multiply what is below them. */
export type Measures = Record<"depth" | "aliases" | "rootFields" | "directives" | "cost", number>;

/** Rows that a list is taken to hold where neither the query nor the schema says. */
const ASSUMED_ROWS = 10;
/** Items of a page of which no size is asked for. */
const DEFAULT_PAGE = 20;
const MOST_ROWS = 100;

/** An operation of a document, with the values that it is called with. */
export interface Operation {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly variables: Readonly<Record<string, unknown>>;
}

export function operationsOf({ definitions }: DocumentNode): OperationDefinitionNode[] {
  return definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
}

export function fragmentsOf({ definitions }: DocumentNode) {
  return new Map(
    definitions.flatMap((node) =>
      node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node] as const] : [],
    ),
  );
}

const NOTHING: Measures = { depth: 0, aliases: 0, rootFields: 0, directives: 0, cost: 0 };

/** Measures with every fragment counted where it is spread, each fragment computed once for each size of page. */
export function measure({ schema, document, operation, variables }: Operation): Measures {
  const fragments = fragmentsOf(document);
  const known = new Map<string, Measures>();
  const defaults = new Map(
    operation.variableDefinitions?.map((node) => [node.variable.name.value, node.defaultValue]),
  );

  /** What is written, or stands in a variable; else the argument's default. */
  const sizeIn = (field: FieldNode, definition: GraphQLField<unknown, unknown>): number | undefined => {
    for (const name of ["first", "last"]) {
      let value = field.arguments?.find((argument) => argument.name.value === name)?.value;
      if (value?.kind === Kind.VARIABLE) {
        const given = variables[value.name.value];
        if (typeof given === "number") return clampRows(given);
        value = given === undefined ? defaults.get(value.name.value) : undefined;
      }
      if (value?.kind === Kind.INT) return clampRows(Number(value.value));
    }
    const byDefault = definition.args.find(({ name }) => name === "first")?.defaultValue;
    return typeof byDefault === "number" ? byDefault : undefined;
  };

  const ofFragment = (name: string, pageSize: number): Measures => {
    const fragment = fragments.get(name);
    if (!fragment) return NOTHING;
    const key = `${name} ${pageSize}`;
    const found = known.get(key);
    if (found) return found;
    // A fragment that spreads itself is refused by another rule; here it must only not loop.
    known.set(key, NOTHING);
    const type = schema.getType(fragment.typeCondition.name.value);
    const measures = ofSelections(fragment.selectionSet, type, pageSize);
    known.set(key, measures);
    return measures;
  };

  const ofField = (field: FieldNode, parent: GraphQLNamedType | undefined, pageSize: number): Measures => {
    const definition = isObjectType(parent) ? parent.getFields()[field.name.value] : undefined;
    const type = definition && getNamedType(definition.type);
    const asked = definition && sizeIn(field, definition);
    const isPage = type?.name.endsWith("Connection") ?? false;
    const below = field.selectionSet
      ? ofSelections(field.selectionSet, type, isPage ? (asked ?? DEFAULT_PAGE) : 0)
      : NOTHING;
    const nullable = definition && isNonNullType(definition.type) ? definition.type.ofType : definition?.type;
    const rows = isListType(nullable) ? asked || pageSize || ASSUMED_ROWS : 1;
    return {
      depth: below.depth + 1,
      aliases: below.aliases + (field.alias ? 1 : 0),
      rootFields: 1,
      directives: below.directives + (field.directives?.length ?? 0),
      // Without a price on aliases, each row could hold the same value many times over.
      cost: rows * (below.cost + (isCompositeType(type) || field.alias ? 1 : 0)),
    };
  };

  /** `pageSize` is that of the page which these are fields of; 0 where they are no page's. */
  const ofSelections = (
    { selections }: SelectionSetNode,
    parent: GraphQLNamedType | undefined,
    pageSize: number,
  ): Measures => {
    const parts = selections.map((selection): Measures => {
      if (selection.kind === Kind.FIELD) return ofField(selection, parent, pageSize);
      const below =
        selection.kind === Kind.FRAGMENT_SPREAD
          ? ofFragment(selection.name.value, pageSize)
          : ofSelections(
              selection.selectionSet,
              selection.typeCondition ? schema.getType(selection.typeCondition.name.value) : parent,
              pageSize,
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

  return ofSelections(operation.selectionSet, schema.getRootType(operation.operation) ?? undefined, 0);
}

function clampRows(rows: number): number {
  return Math.min(Math.max(rows, 1), MOST_ROWS);
}
