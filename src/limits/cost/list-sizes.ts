import {
  type FieldNode,
  type GraphQLField,
  type GraphQLNamedType,
  isListType,
  isNonNullType,
  Kind,
} from "graphql";
import { USAGE_DAYS } from "../../domain/keys/key-limits.js";
import { MAX_LIST_SIZE, MAX_PAGE_SIZE } from "../../domain/page.js";
import type { ReadArgument } from "./operation.js";
import { stepsIn, type TrendSteps } from "./trend-steps.js";

type Definition = GraphQLField<unknown, unknown>;

/**
 * Returns the size of a page or list that a field requests, or the default of `first`; undefined without either.
 */
export function requestedSize(
  field: FieldNode,
  definition: Definition,
  read: ReadArgument,
): number | undefined {
  const max = listSizeOf(definition) === undefined ? MAX_PAGE_SIZE : MAX_LIST_SIZE;
  for (const name of ["first", "last"]) {
    const size = read(field, name);
    if (typeof size === "number") return Math.min(Math.max(size, 1), max);
  }
  const byDefault = definition.args.find(({ name }) => name === "first")?.defaultValue;
  return typeof byDefault === "number" ? byDefault : undefined;
}

export function hasArgument({ args }: Definition, argument: string): boolean {
  return args.some(({ name }) => name === argument);
}

/** Position of a list in an operation. */
export interface ListPlace {
  readonly parent: GraphQLNamedType | undefined;
  /** Size of the page that contains the list, or of the input list of its mutation; otherwise 0. */
  readonly pageSize: number;
  /** Number of steps of a trend in this position. */
  readonly steps: TrendSteps;
  /** Average sizes of the lists in introspection, by type and field. */
  readonly introspectionRows: ReadonlyMap<string, number>;
}

/** Returns the number of rows a field counts as: 1 unless it is a list. */
export function rowsOf(
  field: FieldNode,
  definition: Definition | undefined,
  place: ListPlace,
  read: ReadArgument,
): number {
  if (!definition || !isListType(nullableTypeOf(definition))) return 1;
  return (
    place.introspectionRows.get(`${place.parent?.name}.${definition.name}`) ??
    (requestedSize(field, definition, read) ||
      hoursIn(field, definition, read) ||
      (hasArgument(definition, "step") && stepsIn(place.steps, read(field, "step"))) ||
      place.pageSize ||
      (listSizeOf(definition) ?? MAX_PAGE_SIZE))
  );
}

/** Returns the number of hours in a list by hour, from its argument `days`; undefined for any other list. */
function hoursIn(field: FieldNode, definition: Definition, read: ReadArgument): number | undefined {
  const argument = definition.args.find(({ name }) => name === "days");
  if (!argument) return undefined;
  const days = read(field, "days") ?? argument.defaultValue;
  return 24 * Math.min(Math.max(Number(days) || 1, 1), USAGE_DAYS);
}

function nullableTypeOf({ type }: Definition) {
  return isNonNullType(type) ? type.ofType : type;
}

/** Returns the size of `@listSize` in the schema: the maximum number of items in a list requested without a size. */
function listSizeOf({ astNode }: Definition): number | undefined {
  const listSize = astNode?.directives?.find(({ name }) => name.value === "listSize");
  const size = listSize?.arguments?.[0]?.value;
  return size?.kind === Kind.INT ? Number(size.value) : undefined;
}
