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
  valueFromASTUntyped,
} from "graphql";
import { DEFAULT_PAGE_SIZE, MOST_PAGE_SIZE } from "../domain/page.js";
import { DEFAULT_STEPS, stepsOf, type TrendSteps } from "./trend-steps.js";

/** What is counted in an operation. `cost` is in points: one for each object, and rows multiply what is below them. */
export type Measures = Record<"depth" | "aliases" | "rootFields" | "directives" | "cost", number>;

/** Rows that a list is taken to hold where neither the query nor the schema says; a trend has the steps of its range. */
const ASSUMED_ROWS = 10;

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

/** What is around fields. */
interface Place {
  /** Size of the page that they are fields of; 0 where they are no page's. */
  readonly pageSize: number;
  /** Of a trend among them. */
  readonly steps: TrendSteps;
}

/** Measures with every fragment counted where it is spread, each fragment computed once for each place that differs. */
export function measure({ schema, document, operation, variables }: Operation): Measures {
  const fragments = fragmentsOf(document);
  const known = new Map<string, Measures>();
  const values: Record<string, unknown> = { ...variables };
  for (const { variable, defaultValue } of operation.variableDefinitions ?? []) {
    const name = variable.name.value;
    if (defaultValue && values[name] === undefined) values[name] = valueFromASTUntyped(defaultValue);
  }

  /** What is written for an argument, or stands in variables; undefined where it is left out. */
  const given = (field: FieldNode, name: string): unknown => {
    const value = field.arguments?.find((argument) => argument.name.value === name)?.value;
    return value && valueFromASTUntyped(value, values);
  };

  /** What is given; else the argument's default. */
  const sizeIn = (field: FieldNode, definition: GraphQLField<unknown, unknown>): number | undefined => {
    for (const name of ["first", "last"]) {
      const size = given(field, name);
      if (typeof size === "number") return clampRows(size);
    }
    const byDefault = definition.args.find(({ name }) => name === "first")?.defaultValue;
    return typeof byDefault === "number" ? byDefault : undefined;
  };

  /** Of a list by step: as many as its place has. */
  const stepsIn = (field: FieldNode, { args }: GraphQLField<unknown, unknown>, { steps }: Place) =>
    args.some(({ name }) => name === "step") &&
    steps[given(field, "step") === "QUARTER" ? "quarter" : "month"];

  const ofFragment = (name: string, place: Place): Measures => {
    const fragment = fragments.get(name);
    if (!fragment) return NOTHING;
    const { pageSize, steps } = place;
    const key = [name, pageSize, steps.month, steps.quarter].join(" ");
    const found = known.get(key);
    if (found) return found;
    // A fragment that spreads itself is refused by another rule; here it must only not loop.
    known.set(key, NOTHING);
    const type = schema.getType(fragment.typeCondition.name.value);
    const measures = ofSelections(fragment.selectionSet, type, place);
    known.set(key, measures);
    return measures;
  };

  const ofField = (field: FieldNode, parent: GraphQLNamedType | undefined, place: Place): Measures => {
    const definition = isObjectType(parent) ? parent.getFields()[field.name.value] : undefined;
    const type = definition && getNamedType(definition.type);
    const asked = definition && sizeIn(field, definition);
    const isPage = type?.name.endsWith("Connection") ?? false;
    const inside: Place = {
      pageSize: isPage ? (asked ?? DEFAULT_PAGE_SIZE) : 0,
      steps: stepsOf(given(field, "range")),
    };
    const below = field.selectionSet ? ofSelections(field.selectionSet, type, inside) : NOTHING;
    const nullable = definition && isNonNullType(definition.type) ? definition.type.ofType : definition?.type;
    const steps = definition && stepsIn(field, definition, place);
    const rows = isListType(nullable) ? asked || steps || place.pageSize || ASSUMED_ROWS : 1;
    return {
      depth: below.depth + 1,
      aliases: below.aliases + (field.alias ? 1 : 0),
      rootFields: 1,
      directives: below.directives + (field.directives?.length ?? 0),
      // Without a price on aliases, each row could hold the same value many times over.
      cost: rows * (below.cost + (isCompositeType(type) || field.alias ? 1 : 0)),
    };
  };

  const ofSelections = (
    { selections }: SelectionSetNode,
    parent: GraphQLNamedType | undefined,
    place: Place,
  ): Measures => {
    const parts = selections.map((selection): Measures => {
      if (selection.kind === Kind.FIELD) return ofField(selection, parent, place);
      const below =
        selection.kind === Kind.FRAGMENT_SPREAD
          ? ofFragment(selection.name.value, place)
          : ofSelections(
              selection.selectionSet,
              selection.typeCondition ? schema.getType(selection.typeCondition.name.value) : parent,
              place,
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

  const root = schema.getRootType(operation.operation) ?? undefined;
  return ofSelections(operation.selectionSet, root, { pageSize: 0, steps: DEFAULT_STEPS });
}

function clampRows(rows: number): number {
  return Math.min(Math.max(rows, 1), MOST_PAGE_SIZE);
}
