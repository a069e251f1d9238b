import { MapperKind, mapSchema } from "@graphql-tools/utils";
import {
  defaultFieldResolver,
  type GraphQLFieldConfig,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isCompositeType,
  isListType,
} from "graphql";
import type { Context } from "../../access/context.js";

/** Rows that an operation may put into its answer at once. */
const FREE_ROWS = 500;
/** Rows of larger answers that are put together in one turn. */
const ROWS_A_TURN = 200;

/**
 * Lets the process look after others while it puts a large answer together, which graphql does in one go: a list of an
 * operation that has had its free rows waits for its turn. Smaller operations never wait, and lists of up to 100 rows,
 * as most are, are the smallest part.
 */
export function takeTurns(schema: GraphQLSchema): GraphQLSchema {
  const turn = createTurns();
  const rowsOf = new WeakMap<Context, number>();
  const pace = (context: Context, list: unknown): unknown => {
    if (!Array.isArray(list)) return list;
    const rows = (rowsOf.get(context) ?? 0) + list.length;
    rowsOf.set(context, rows);
    return rows > FREE_ROWS ? turn(list.length / ROWS_A_TURN).then(() => list) : list;
  };
  return mapSchema(schema, {
    [MapperKind.OBJECT_FIELD]: (field: GraphQLFieldConfig<unknown, Context>) => {
      const isList = isListType(getNullableType(field.type));
      if (!isList || !isCompositeType(getNamedType(field.type))) return field;
      const { resolve = defaultFieldResolver } = field;
      return {
        ...field,
        resolve(source, args, context, info) {
          const list = resolve(source, args, context, info);
          return list instanceof Promise ? list.then((found) => pace(context, found)) : pace(context, list);
        },
      };
    },
  });
}

/**
 * Makes the function that resolves when it is one's turn, first come first served. After each turn, others are looked
 * after for as long as it took: a small request comes back to the event loop several times, and would otherwise wait for
 * a turn each time. `share` is how much of a turn one's work fills.
 */
export function createTurns(): (share: number) => Promise<void> {
  const waiting: { share: number; go: () => void }[] = [];
  let isBusy = false;
  let started = 0;
  const takeTurn = () => {
    started = performance.now();
    for (let filled = 0; filled < 1; ) {
      const first = waiting.shift();
      if (first === undefined) break;
      filled += first.share;
      first.go();
    }
  };
  const rest = () => {
    const ms = performance.now() - started;
    isBusy = waiting.length > 0;
    if (!isBusy) return;
    // A timer waits for a millisecond at least.
    if (ms < 1) nextTurn();
    else setTimeout(nextTurn, ms);
  };
  // What a turn lets go is at work between the two, and nobody else is.
  const nextTurn = () => {
    setImmediate(takeTurn);
    setImmediate(rest);
  };
  return (share) =>
    new Promise((go) => {
      waiting.push({ share, go });
      if (isBusy) return;
      isBusy = true;
      nextTurn();
    });
}
