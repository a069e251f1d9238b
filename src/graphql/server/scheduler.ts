import {
  defaultFieldResolver,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isCompositeType,
  isListType,
} from "graphql";
import type { Context } from "../../access/context.js";
import type { Place } from "../../domain/fair-line.js";
import type { RequestInfo } from "../../http/request-info.js";
import { limitTime } from "../../time-limit.js";
import { takeTurn, takeTurnOf } from "../../turns.js";
import { wrapFields } from "../schema/wrap-fields.js";

/** Takes a turn for a request. Rejects with INTERNAL_ERROR after waiting for 5 seconds. */
export const takeTurnInTime = ({ place }: Pick<RequestInfo, "place">): Promise<void> =>
  // The wait has a limit of its own, because that of the request starts only with its first read.
  takeTurnOf({ inTime: limitTime(5_000), place });

/** Longer documents wait for a turn before validation, which compares all fields with each other. */
const LONG_TEXT = 1_000;

/** Waits for a turn before the validation of a long text. */
export async function takeTurnFor(request: Pick<RequestInfo, "place">, { length }: string): Promise<void> {
  if (length > LONG_TEXT) await takeTurnInTime(request);
}

/**
 * Paces the fields of Query: a computation of a request that has used up its time gives way before it starts. A wait of
 * the fields below would split DataLoader's batches.
 */
export function paceQueries(schema: GraphQLSchema): void {
  for (const field of Object.values(schema.getQueryType()?.getFields() ?? {})) {
    const { resolve = defaultFieldResolver } = field;
    field.resolve = (source, args, context: Context, info) => {
      const wait = context.access?.tenant.pace?.start();
      const run = () => resolve(source, args, context, info);
      return wait ? wait.then(run) : run();
    };
  }
}

/** Number of rows that an operation may return without waiting. */
const FREE_ROWS = 500;
/** Number of rows that fill a turn. */
const ROWS_A_TURN = 200;

/**
 * Paces the lists of large answers, which graphql would otherwise complete without a pause. Once an operation has used
 * up its free rows, its lists wait for turns. A list too large for one turn is completed in pieces.
 */
export function paceLists(schema: GraphQLSchema): void {
  const rowsOf = new WeakMap<Context, number>();
  const pace = (context: Context, list: unknown): unknown => {
    if (!Array.isArray(list)) return list;
    const rows = (rowsOf.get(context) ?? 0) + list.length;
    rowsOf.set(context, rows);
    if (rows <= FREE_ROWS) return list;
    const { place } = context.request;
    return takeTurn(place).then(() => splitInTurns(list, place));
  };
  wrapFields(schema, (resolve, { type }) => {
    if (!isListType(getNullableType(type)) || !isCompositeType(getNamedType(type))) return resolve;
    return (source, args, context, info) => {
      const list = resolve(source, args, context, info);
      return list instanceof Promise ? list.then((found) => pace(context, found)) : pace(context, list);
    };
  });
}

/** Returns the rows of a list. Rows after the first ROWS_A_TURN are promises that resolve one turn at a time. */
function splitInTurns(list: readonly unknown[], place: Place | undefined): readonly unknown[] {
  let turn: Promise<void> | undefined;
  return list.map((row, index) => {
    if (index > 0 && index % ROWS_A_TURN === 0) turn = takeTurn(place);
    return turn === undefined ? row : turn.then(() => row);
  });
}
