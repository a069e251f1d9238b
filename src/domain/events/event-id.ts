/** Position of an entry in an organization's audit trail. */
export interface EventPosition {
  /** Number of the entry; 0 is the position before the first. */
  readonly seq: number;
  /** The first 16 hexadecimal digits of the entry's hash; zeros before the first. */
  readonly hash: string;
}

const DIGITS = 16;

/** Returns the id of an entry's event, such as `4711-81070dcecdfac070`. */
export const eventIdOf = (entry: { readonly seq: number; readonly hash: string }): string =>
  `${entry.seq}-${entry.hash.slice(0, DIGITS)}`;

/** The position before the first entry of a trail. */
export const TRAIL_START: EventPosition = { seq: 0, hash: "0".repeat(DIGITS) };

/** Reads the id of an event; undefined if it is invalid. */
export function parseEventId(text: string): EventPosition | undefined {
  const [, seq, hash] = /^(0|[1-9]\d{0,14})-([0-9a-f]{16})$/.exec(text) ?? [];
  return seq === undefined || hash === undefined ? undefined : { seq: Number(seq), hash };
}
