import {
  type FieldNode,
  type GraphQLField,
  type GraphQLNamedType,
  isListType,
  isNonNullType,
  Kind,
} from "graphql";
import { USAGE_DAYS } from "../../domain/keys/rules.js";
import { MOST_LIST_SIZE, MOST_PAGE_SIZE } from "../../domain/page.js";
import type { ReadArgument } from "./operation.js";
import { stepsIn, type TrendSteps } from "./trend-steps.js";

type Definition = GraphQLField<unknown, unknown>;

/** The size of a page or list that a field asks for, else the default of its argument; undefined if it takes neither. */
export function sizeAskedFor(
  field: FieldNode,
  definition: Definition,
  read: ReadArgument,
): number | undefined {
  const most = listSizeOf(definition) === undefined ? MOST_PAGE_SIZE : MOST_LIST_SIZE;
  for (const name of ["first", "last"]) {
    const size = read(field, name);
    if (typeof size === "number") return Math.min(Math.max(size, 1), most);
  }
  const byDefault = definition.args.find(({ name }) => name === "first")?.defaultValue;
  return typeof byDefault === "number" ? byDefault : undefined;
}

/** Whether a field has this argument. */
export function takes({ args }: Definition, argument: string): boolean {
  return args.some(({ name }) => name === argument);
}

/** Where a list is. */
export interface ListPlace {
  readonly parent: GraphQLNamedType | undefined;
  /** Size of the page that it belongs to; 0 outside of pages. */
  readonly pageSize: number;
  /** How many steps a trend has here. */
  readonly steps: TrendSteps;
  /** Average sizes of the lists of introspection, by type and field. */
  readonly introspectionRows: ReadonlyMap<string, number>;
}

/** How many rows a field counts for: 1 unless it is a list. */
export function rowsOf(
  field: FieldNode,
  definition: Definition | undefined,
  place: ListPlace,
  read: ReadArgument,
): number {
  if (!definition || !isListType(nullableTypeOf(definition))) return 1;
  return (
    place.introspectionRows.get(`${place.parent?.name}.${definition.name}`) ??
    (sizeAskedFor(field, definition, read) ||
      hoursIn(field, definition, read) ||
      (takes(definition, "step") && stepsIn(place.steps, read(field, "step"))) ||
      place.pageSize ||
      (listSizeOf(definition) ?? MOST_PAGE_SIZE))
  );
}

/** How many hours a list by hour has, from its argument `days`; undefined for any other list. */
function hoursIn(field: FieldNode, definition: Definition, read: ReadArgument): number | undefined {
  const argument = definition.args.find(({ name }) => name === "days");
  if (!argument) return undefined;
  const days = read(field, "days") ?? argument.defaultValue;
  return 24 * Math.min(Math.max(Number(days) || 1, 1), USAGE_DAYS);
}

function nullableTypeOf({ type }: Definition) {
  return isNonNullType(type) ? type.ofType : type;
}

/** The size of `@listSize` in the schema: how many items a list has at most if no size is asked for. */
function listSizeOf({ astNode }: Definition): number | undefined {
  const listSize = astNode?.directives?.find(({ name }) => name.value === "listSize");
  const size = listSize?.arguments?.[0]?.value;
  return size?.kind === Kind.INT ? Number(size.value) : undefined;
}
