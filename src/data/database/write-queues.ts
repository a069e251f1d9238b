import { tooMany } from "../../errors.js";
import { createFairQueue, type Enqueue } from "./fair-queue.js";

/** Maximum number of concurrent transactions outside the pool. */
export const MAX_CHECKS = 2;

/**
 * Maximum numbers of concurrent writing transactions in one process. Together they leave connections of the pool for
 * reads. Organizations and the platform (sign-in, jobs) have separate queues.
 */
const MAX_WRITES = {
  organizations: { perOwner: 3, total: 6 },
  /** Further limits on those of an organization's transactions that may take long, such as imports. */
  long: { perOwner: 1, total: 3 },
  /** Long transactions that change nothing, such as dry runs. They use connections outside the pool. */
  checks: { perOwner: 1, total: MAX_CHECKS },
  platform: { perOwner: 2, total: 3 },
} as const;

/** Maximum number of waiting writes of one organization or user. */
const MAX_WAITING = 50;

/**
 * Queues of writing transactions. They refuse a write that waits too long, or behind too many others of its owner, with
 * RATE_LIMIT_EXCEEDED.
 */
export interface WriteQueues extends Readonly<Record<keyof typeof MAX_WRITES, Enqueue>> {
  /** Returns true if the last write failed because the database's disk is full. */
  readonly isFull: () => boolean;
  readonly setFull: (isFull: boolean) => void;
}

export function createWriteQueues(): WriteQueues {
  const queue = (kind: keyof typeof MAX_WRITES) =>
    createFairQueue({ ...MAX_WRITES[kind], maxWaiting: MAX_WAITING, refuse: tooManyWrites });
  let isFull = false;
  return {
    isFull: () => isFull,
    setFull: (value) => {
      isFull = value;
    },
    organizations: queue("organizations"),
    long: queue("long"),
    checks: queue("checks"),
    platform: queue("platform"),
  };
}

const tooManyWrites = () =>
  tooMany("Too many changes are being written at once. Nothing was changed.", 1_000);
