import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { inject, type TestContext } from "vitest";
import { SHARES, type Target } from "./shares.js";

declare module "vitest" {
  interface ProvidedContext {
    /** Arguments of `npm run fuzz`; without them, every target gets a few cases. */
    fuzz?: FuzzSettings;
  }
  interface TaskMeta {
    fuzz?: FuzzReport;
  }
}

export interface FuzzSettings {
  readonly seed: number;
  /** Number of cases of all targets. */
  readonly cases: number;
}

/** The result of one target's cases. */
export interface FuzzReport {
  readonly target: string;
  readonly cases: number;
  readonly seed: number;
  readonly seconds: number;
  /** Number of cases by outcome, such as a status. */
  readonly outcomes: Readonly<Record<string, number>>;
}

/** Time limit of one target, in milliseconds. */
export const TIME_LIMIT = 60 * 60_000;

const DEFAULTS: FuzzSettings = { seed: 20_261_120, cases: 1_500 };

/** More than all caches of answers. */
const HEAP_GROWTH = 256 << 20;

/** Returns the number of a target's cases. */
export function casesOf(target: Target): number {
  const { cases } = inject("fuzz") ?? DEFAULTS;
  return Math.ceil((cases * SHARES[target]) / 100);
}

/**
 * Runs `check`, which throws or returns the outcomes to count, on a target's cases. Throws for the first failing case,
 * minimized and with the seed that reproduces it.
 */
export async function fuzz<Case>(
  target: Target,
  { task }: TestContext,
  cases: fc.Arbitrary<Case>,
  check: (input: Case) => Promise<readonly (string | number)[]>,
): Promise<FuzzReport["outcomes"]> {
  const { seed } = inject("fuzz") ?? DEFAULTS;
  const numRuns = casesOf(target);
  const counts = new Map<string, number>();
  const start = performance.now();
  const before = heapUsed();
  try {
    await fc.assert(
      fc.asyncProperty(cases, async (input) => {
        for (const outcome of await check(input)) {
          counts.set(String(outcome), (counts.get(String(outcome)) ?? 0) + 1);
        }
      }),
      { numRuns, seed },
    );
  } finally {
    const seconds = (performance.now() - start) / 1_000;
    const outcomes = Object.fromEntries([...counts].toSorted(([a], [b]) => a.localeCompare(b)));
    task.meta.fuzz = { target, cases: numRuns, seed, seconds, outcomes };
  }
  const grown = heapUsed() - before;
  if (grown > HEAP_GROWTH) throw new Error(`the heap has grown by ${grown >> 20} MB`);
  return Object.fromEntries(counts);
}

/** Returns the used heap after a garbage collection. */
function heapUsed(): number {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  return process.memoryUsage().heapUsed;
}
