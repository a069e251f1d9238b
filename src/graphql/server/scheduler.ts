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
import { limitTime } from "../../data/database/time-limit.js";

/**
 * Resolves when work that blocks the event loop may run, first come first served. `share` is the part of a turn that the
 * work fills; a turn takes some 30 ms.
 */
export type Schedule = (share: number) => Promise<void>;

/**
 * Creates a scheduler that pauses after each turn for as long as the turn took. Small requests are served meanwhile: each
 * needs the event loop several times, and would otherwise wait for a whole turn each time.
 */
export function createScheduler(): Schedule {
  const waiting: { share: number; go: () => void }[] = [];
  let isBusy = false;
  let started = 0;
  const runTurn = () => {
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
    // A timer waits for at least a millisecond.
    if (ms < 1) nextTurn();
    else setTimeout(nextTurn, ms);
  };
  // The work of a turn runs between the two, and nothing else does.
  const nextTurn = () => {
    setImmediate(runTurn);
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

/** Schedules as `schedule` does, and rejects with INTERNAL_ERROR if work has waited for 5 seconds. */
export function limitWait(schedule: Schedule): Schedule {
  // Not part of the request's time for the database, of which at most its key's lookup has passed.
  return (share) => limitTime(5_000)(() => schedule(share));
}

/** Rows that an operation may return without waiting. */
const FREE_ROWS = 500;
/** Rows that fill a turn. */
const ROWS_A_TURN = 200;

/**
 * Schedules the lists of large answers, which graphql would otherwise put together without a pause. Lists wait once their
 * operation has used up its free rows. A list is the smallest part; most have up to 100 rows.
 */
export function paceLists(schema: GraphQLSchema): GraphQLSchema {
  const schedule = createScheduler();
  const rowsOf = new WeakMap<Context, number>();
  const pace = (context: Context, list: unknown): unknown => {
    if (!Array.isArray(list)) return list;
    const rows = (rowsOf.get(context) ?? 0) + list.length;
    rowsOf.set(context, rows);
    return rows > FREE_ROWS ? schedule(list.length / ROWS_A_TURN).then(() => list) : list;
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
