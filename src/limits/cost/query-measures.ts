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
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
  valueFromASTUntyped,
} from "graphql";
import { DEFAULT_PAGE_SIZE, MOST_LIST_SIZE, MOST_PAGE_SIZE } from "../../domain/page.js";
import { listRestrictions } from "../../domain/record-counts.js";
import { countCost } from "./count-cost.js";
import { rowsOfIntrospection } from "./introspection-rows.js";
import { DEFAULT_STEPS, stepsIn, stepsOf, type TrendSteps } from "./trend-steps.js";

type Counts = Record<"depth" | "aliases" | "rootFields" | "directives" | "schemas" | "cost", number>;

/**
 * What is counted in an operation. `cost` is in points: one for each object, and rows multiply what is below them.
 * `schemas` is how often `__schema` is asked for.
 */
export interface Measures extends Counts {
  /** The field with the most points of its own, those of the fields below it not included. */
  readonly dearest: Dearest;
}

/** A field by the names in its path, as they are in the answer, and its points. */
interface Dearest {
  readonly path: Path | null;
  readonly cost: number;
}

interface Path {
  readonly name: string;
  readonly below: Path | null;
}

/** The price of records by amount, of which up to 100,000 are read and sorted. */
const SORTING = 500;

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

const NOTHING: Measures = {
  ...{ depth: 0, aliases: 0, rootFields: 0, directives: 0, schemas: 0, cost: 0 },
  dearest: { path: null, cost: 0 },
};

/** What is around fields. */
interface Place {
  /** Size of the page that they are fields of; 0 where they are no page's. */
  readonly pageSize: number;
  /** Of a trend among them, or below them: the range above them decides. */
  readonly steps: TrendSteps;
  /** Points of their page's `totalCount`. */
  readonly countCost: number;
  /** What the filters above them restrict. */
  readonly restricted: readonly string[];
}

/** The fields that every query has and no type lists. */
const META_FIELDS = new Map([SchemaMetaFieldDef, TypeMetaFieldDef].map((field) => [field.name, field]));

/** Measures with every fragment counted where it is spread, each fragment computed once for each place that differs. */
export function measure({ schema, document, operation, variables }: Operation): Measures {
  const fragments = fragmentsOf(document);
  const known = new Map<string, Measures>();
  // Without a prototype, in which names that a client may choose, such as `constructor`, would be found.
  const values: Record<string, unknown> = Object.assign(Object.create(null), variables);
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
    const most = listSizeOf(definition) === undefined ? MOST_PAGE_SIZE : MOST_LIST_SIZE;
    for (const name of ["first", "last"]) {
      const size = given(field, name);
      if (typeof size === "number") return Math.min(Math.max(size, 1), most);
    }
    const byDefault = definition.args.find(({ name }) => name === "first")?.defaultValue;
    return typeof byDefault === "number" ? byDefault : undefined;
  };

  const takes = ({ args }: GraphQLField<unknown, unknown>, argument: string) =>
    args.some(({ name }) => name === argument);

  const introspectionRows = rowsOfIntrospection(schema);

  const ofFragment = (name: string, place: Place): Measures => {
    const fragment = fragments.get(name);
    if (!fragment) return NOTHING;
    const { pageSize, steps } = place;
    const key = [
      name,
      pageSize,
      steps.month,
      steps.quarter,
      steps.year,
      place.countCost,
      place.restricted,
    ].join(" ");
    const found = known.get(key);
    if (found) return found;
    // A fragment that spreads itself is refused by another rule; here it must only not loop.
    known.set(key, NOTHING);
    const type = schema.getType(fragment.typeCondition.name.value);
    const measures = ofSelections(fragment.selectionSet, type, place);
    known.set(key, measures);
    return measures;
  };

  const rowsIn = (
    field: FieldNode,
    definition: GraphQLField<unknown, unknown>,
    parent: GraphQLNamedType | undefined,
    place: Place,
  ): number =>
    introspectionRows.get(`${parent?.name}.${definition.name}`) ??
    (sizeIn(field, definition) ||
      (takes(definition, "step") && stepsIn(place.steps, given(field, "step"))) ||
      place.pageSize ||
      (listSizeOf(definition) ?? MOST_PAGE_SIZE));

  const ofField = (field: FieldNode, parent: GraphQLNamedType | undefined, place: Place): Measures => {
    const name = field.name.value;
    const definition = isObjectType(parent) ? (parent.getFields()[name] ?? META_FIELDS.get(name)) : undefined;
    const type = definition && getNamedType(definition.type);
    const isPage = type?.name.endsWith("Connection") ?? false;
    const restricted = [...place.restricted, ...listRestrictions(given(field, "filter"))];
    const inside: Place = {
      pageSize: isPage && definition ? (sizeIn(field, definition) ?? DEFAULT_PAGE_SIZE) : 0,
      steps: definition && takes(definition, "range") ? stepsOf(given(field, "range")) : place.steps,
      countCost: isPage && type ? countCost(type.name, restricted) : 0,
      restricted,
    };
    const below = field.selectionSet ? ofSelections(field.selectionSet, type, inside) : NOTHING;
    const isList = definition && isListType(nullableTypeOf(definition));
    const rows = isList ? rowsIn(field, definition, parent, place) : 1;
    // Without a price on aliases, each row could hold the same value many times over.
    const points = isCompositeType(type) || field.alias ? 1 : 0;
    const sorting = given(field, "orderBy") === "CO2E_TONNES" ? SORTING : 0;
    const own = rows * points + (name === "totalCount" ? place.countCost : 0) + sorting;
    const dearestBelow = rows * below.dearest.cost;
    const isDearest = own >= dearestBelow;
    return {
      depth: below.depth + 1,
      aliases: below.aliases + (field.alias ? 1 : 0),
      rootFields: 1,
      directives: below.directives + (field.directives?.length ?? 0),
      schemas: below.schemas + (name === SchemaMetaFieldDef.name ? 1 : 0),
      cost: own + rows * below.cost,
      dearest: {
        path: { name: (field.alias ?? field.name).value, below: isDearest ? null : below.dearest.path },
        cost: isDearest ? own : dearestBelow,
      },
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
        schemas: sum.schemas + part.schemas,
        cost: sum.cost + part.cost,
        dearest: part.dearest.cost > sum.dearest.cost ? part.dearest : sum.dearest,
      }),
      NOTHING,
    );
  };

  const root = schema.getRootType(operation.operation) ?? undefined;
  return ofSelections(operation.selectionSet, root, {
    ...{ pageSize: 0, steps: DEFAULT_STEPS, countCost: 0 },
    restricted: [],
  });
}

/** A path as text, such as `credits.batches.nodes.sales`. */
export function printPath(path: Path | null): string {
  const names: string[] = [];
  for (let at = path; at; at = at.below) names.push(at.name);
  return names.join(".");
}

function nullableTypeOf({ type }: GraphQLField<unknown, unknown>) {
  return isNonNullType(type) ? type.ofType : type;
}

/** What the schema says with `@listSize`: how many items a list has at most where no size is asked for. */
function listSizeOf({ astNode }: GraphQLField<unknown, unknown>): number | undefined {
  const listSize = astNode?.directives?.find(({ name }) => name.value === "listSize");
  const size = listSize?.arguments?.[0]?.value;
  return size?.kind === Kind.INT ? Number(size.value) : undefined;
}
