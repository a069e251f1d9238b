import { tooMany } from "../../errors.js";
import { createPlaces, type WithPlace } from "./places.js";

/**
 * Maximum number of writing transactions in one process. Together they leave connections of the pool for reads.
 * Organizations and the platform (sign-in, jobs) have separate places.
 */
const MOST_WRITES = {
  organizations: { each: 3, inAll: 6 },
  /** The part of the organizations' transactions that may take long, such as imports. */
  long: { each: 1, inAll: 3 },
  platform: { each: 2, inAll: 3 },
} as const;

/** Maximum number of waiting writes of one organization or user. */
const MOST_WAITING = 50;

/** Queues for places of writing transactions. A write that waits too long is refused with RATE_LIMIT_EXCEEDED. */
export type WritePlaces = Readonly<Record<keyof typeof MOST_WRITES, WithPlace>>;

/** Creates the queues of a database. */
export function createWritePlaces(): WritePlaces {
  const queue = (kind: keyof typeof MOST_WRITES) =>
    createPlaces({ ...MOST_WRITES[kind], mostWaiting: MOST_WAITING, refuse: tooManyWrites });
  return { organizations: queue("organizations"), long: queue("long"), platform: queue("platform") };
}

const tooManyWrites = () =>
  tooMany("Too many changes are being written at once. Nothing was changed.", 1_000);
