import {
  type FieldNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isObjectType,
  Kind,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
} from "graphql";
import { DEFAULT_PAGE_SIZE } from "../../domain/page.js";
import { isCountedBySums, listRestrictions } from "./counted-by-sums.js";
import { costOfChoices, costOfWork } from "./input-cost.js";
import { rowsOfIntrospection } from "./introspection-rows.js";
import { hasArgument, requestedSize, rowsOf } from "./list-sizes.js";
import { createArgumentReader, fragmentsOf, type Operation, type ReadArgument } from "./operation.js";
import { DEFAULT_STEPS, stepsOf, type TrendSteps } from "./trend-steps.js";

type Counts = Record<"depth" | "aliases" | "rootFields" | "directives" | "schemas" | "cost", number>;

/**
 * Measures of an operation. `cost` is in points: one for each object, multiplied by the rows above it. `schemas` counts
 * the requests for `__schema`.
 */
export interface Measures extends Counts {
  /** The field with the most points of its own, excluding the fields below it. */
  readonly mostExpensive: { readonly path: Path | null; readonly cost: number };
}

/** Names of fields from the root, as in the response. */
interface Path {
  readonly name: string;
  readonly below: Path | null;
}

const NOTHING: Measures = {
  depth: 0,
  aliases: 0,
  rootFields: 0,
  directives: 0,
  schemas: 0,
  cost: 0,
  mostExpensive: { path: null, cost: 0 },
};

/** Settings that fields inherit from the fields above them. */
interface Place {
  /** Size of the page that contains the fields, or of the input list of their mutation; otherwise 0. */
  readonly pageSize: number;
  /** Number of steps of a trend, from the closest range above it. */
  readonly steps: TrendSteps;
  /** True for the fields of a page whose total is read from sums. */
  readonly isSummed: boolean;
  /** Names of the filter fields set above. */
  readonly restricted: readonly string[];
}

/** The parts of an operation that stay the same throughout the traversal. */
interface Traversal {
  readonly schema: GraphQLSchema;
  readonly fragments: ReturnType<typeof fragmentsOf>;
  readonly read: ReadArgument;
  readonly introspectionRows: ReadonlyMap<string, number>;
  /** Measures of fragments, by name and place. */
  readonly known: Map<string, Measures>;
}

/** Fields that every query type has without listing them. */
const META_FIELDS = new Map([SchemaMetaFieldDef, TypeMetaFieldDef].map((field) => [field.name, field]));

/** Measures an operation. A fragment counts wherever it is spread, but is measured once for each different place. */
export function measure(requested: Operation): Measures {
  const { schema, document, operation } = requested;
  const traversal: Traversal = {
    schema,
    fragments: fragmentsOf(document),
    read: createArgumentReader(requested),
    introspectionRows: rowsOfIntrospection(schema),
    known: new Map(),
  };
  const root = schema.getRootType(operation.operation) ?? undefined;
  const place: Place = { pageSize: 0, steps: DEFAULT_STEPS, isSummed: false, restricted: [] };
  return measureSelections(traversal, operation.selectionSet, root, place);
}

function measureSelections(
  traversal: Traversal,
  { selections }: SelectionSetNode,
  parent: GraphQLNamedType | undefined,
  place: Place,
): Measures {
  let sum = NOTHING;
  for (const selection of selections) {
    if (selection.kind === Kind.FIELD) {
      sum = add(sum, measureField(traversal, selection, parent, place));
      continue;
    }
    const { kind, directives } = selection;
    const below =
      kind === Kind.FRAGMENT_SPREAD
        ? measureFragment(traversal, selection.name.value, place)
        : measureSelections(
            traversal,
            selection.selectionSet,
            selection.typeCondition ? traversal.schema.getType(selection.typeCondition.name.value) : parent,
            place,
          );
    sum = add(sum, { ...below, directives: below.directives + (directives?.length ?? 0) });
  }
  return sum;
}

function add(sum: Measures, part: Measures): Measures {
  return {
    depth: Math.max(sum.depth, part.depth),
    aliases: sum.aliases + part.aliases,
    rootFields: sum.rootFields + part.rootFields,
    directives: sum.directives + part.directives,
    schemas: sum.schemas + part.schemas,
    cost: sum.cost + part.cost,
    mostExpensive: part.mostExpensive.cost > sum.mostExpensive.cost ? part.mostExpensive : sum.mostExpensive,
  };
}

function measureFragment(traversal: Traversal, name: string, place: Place): Measures {
  const fragment = traversal.fragments.get(name);
  if (!fragment) return NOTHING;
  const { pageSize, steps, restricted } = place;
  const key = [name, pageSize, steps.month, steps.quarter, steps.year, place.isSummed, restricted].join(" ");
  const found = traversal.known.get(key);
  if (found) return found;
  // Another rule refuses a fragment that spreads itself. This only prevents a loop.
  traversal.known.set(key, NOTHING);
  const type = traversal.schema.getType(fragment.typeCondition.name.value);
  const measures = measureSelections(traversal, fragment.selectionSet, type, place);
  traversal.known.set(key, measures);
  return measures;
}

function measureField(
  traversal: Traversal,
  field: FieldNode,
  parent: GraphQLNamedType | undefined,
  place: Place,
): Measures {
  const { read, introspectionRows } = traversal;
  const name = field.name.value;
  const definition = isObjectType(parent) ? (parent.getFields()[name] ?? META_FIELDS.get(name)) : undefined;
  const type = definition && getNamedType(definition.type);
  const isPage = type?.name.endsWith("Connection") ?? false;
  const restricted = [...place.restricted, ...listRestrictions(read(field, "filter"))];
  const inside: Place = {
    pageSize:
      isPage && definition
        ? (requestedSize(field, definition, read) ?? DEFAULT_PAGE_SIZE)
        : lengthOf(read(field, "input")),
    steps: definition && hasArgument(definition, "range") ? stepsOf(read(field, "range")) : place.steps,
    isSummed: definition !== undefined && isCountedBySums(definition, restricted),
    restricted,
  };
  const below = field.selectionSet ? measureSelections(traversal, field.selectionSet, type, inside) : NOTHING;
  const { pageSize, steps } = place;
  const rows = rowsOf(field, definition, { parent, pageSize, steps, introspectionRows }, read);
  // An alias costs a point. Otherwise, each row could repeat the same value many times at no cost.
  const points = isCompositeType(type) || field.alias ? 1 : 0;
  const readArgument = (argument: string) => read(field, argument);
  const counted = rows * points + (definition ? costOfChoices(definition, readArgument) : 0);
  // The work for an input costs the same even if less of its result is selected.
  const work = definition ? costOfWork(definition, readArgument) : 0;
  const own = Math.max(counted, (place.isSummed ? Math.min(work, 1) : work) - rows * below.cost);
  const highestBelow = rows * below.mostExpensive.cost;
  const isHighest = own >= highestBelow;
  return {
    depth: below.depth + 1,
    aliases: below.aliases + (field.alias ? 1 : 0),
    rootFields: 1,
    directives: below.directives + (field.directives?.length ?? 0),
    schemas: below.schemas + (name === SchemaMetaFieldDef.name ? 1 : 0),
    cost: own + rows * below.cost,
    mostExpensive: {
      path: { name: (field.alias ?? field.name).value, below: isHighest ? null : below.mostExpensive.path },
      cost: isHighest ? own : highestBelow,
    },
  };
}

/** Returns the number of items sent to a mutation, which returns as many. */
const lengthOf = (input: unknown): number => (Array.isArray(input) ? input.length : 0);

/** Formats a path, such as `credits.batches.nodes.sales`. */
export function printPath(path: Path | null): string {
  const names: string[] = [];
  for (let at = path; at; at = at.below) names.push(at.name);
  return names.join(".");
}
