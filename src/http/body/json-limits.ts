import { AppError } from "../../errors.js";

/**
 * Limits of a JSON body. Parsing and later steps (variables, shapes, messages) traverse it recursively or compare its
 * members with each other. The largest valid body has 500 records of some 30 values each.
 */
export const JSON_LIMITS = {
  levels: 32,
  /** Members of one object, or items of one list. */
  members: 1_000,
  /** Total number of values. */
  values: 25_000,
} as const;

const [SPACE, QUOTE, COMMA, BACKSLASH] = [0x20, 0x22, 0x2c, 0x5c];
const [LIST, LIST_END, OBJECT, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Throws BAD_REQUEST if a JSON body in UTF-8 exceeds JSON_LIMITS. Runs before parsing, because parsing 2 MB of members
 * blocks other requests for 0.4 seconds. A body that is not JSON may pass.
 */
export function requireBounded(bytes: Uint8Array): void {
  let values = 0;
  /** Open lists and objects at the current byte, with the number of their members so far. */
  const open: { readonly isList: boolean; members: number }[] = [];
  let isEmpty = false;
  const addMember = () => {
    isEmpty = false;
    const container = open.at(-1);
    if (container === undefined) return;
    container.members += 1;
    values += 1;
    if (container.members > JSON_LIMITS.members) {
      throw container.isList
        ? refuse("has a list that is too long", JSON_LIMITS.members, "items")
        : refuse("has an object that is too large", JSON_LIMITS.members, "members");
    }
    if (values > JSON_LIMITS.values) throw refuse("is too large", JSON_LIMITS.values, "values");
  };
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    if (byte <= SPACE) continue;
    if (byte === LIST_END || byte === OBJECT_END) {
      open.pop();
      isEmpty = false;
      continue;
    }
    if (byte === COMMA || isEmpty) addMember();
    if (byte === QUOTE) at = endOfString(bytes, at);
    else if (byte === LIST || byte === OBJECT) {
      if (open.length === JSON_LIMITS.levels)
        throw refuse("is nested too deeply", JSON_LIMITS.levels, "levels");
      open.push({ isList: byte === LIST, members: 0 });
      isEmpty = true;
    }
  }
}

/** Returns the offset of the closing quote of the string that starts at `start`, or the length of the body. */
function endOfString(bytes: Uint8Array, start: number): number {
  for (let at = start + 1; at < bytes.length; at += 1) {
    if (bytes[at] === BACKSLASH) at += 1;
    else if (bytes[at] === QUOTE) return at;
  }
  return bytes.length;
}

const refuse = (fault: string, max: number, unit: string) =>
  new AppError("BAD_REQUEST", `The JSON body ${fault}; at most ${max} ${unit} are allowed.`);
