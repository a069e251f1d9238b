import { createFairLine, type Place } from "./domain/fair-line.js";
import type { Steps } from "./domain/steps.js";

/** Maximum time to block the event loop, well below the 50 ms that another request may have to wait. */
export const LOOP_MS = 10;

/** Resolves when work that blocks the event loop may run, in a fair order. By default, it is work of the process itself. */
export type Schedule = (place?: Place) => Promise<void>;

const PROCESS: Place = { owner: "", request: "" };

/** Scheduler of this process, which has only one event loop. */
export const takeTurn = createScheduler();

/** Calls `next` once the work that runs now has ended or waits for something outside of this process. */
const afterThis = (next: () => void) => queueMicrotask(() => process.nextTick(next));

/**
 * Creates a scheduler. A turn starts one piece of work after another until LOOP_MS have passed. Before each further
 * turn, the scheduler pauses for as long as the last one took. The pauses serve small requests: each needs the event
 * loop several times, and would otherwise wait for a whole turn each time.
 */
function createScheduler(): Schedule {
  const line = createFairLine<() => void>();
  let isBusy = false;
  let started = 0;
  const startTurn = () => {
    started = performance.now();
    run();
  };
  const run = () => {
    const next = line.take();
    const began = performance.now();
    next?.work();
    afterThis(() => {
      next?.charge(performance.now() - began);
      if (line.size() > 0 && performance.now() - started < LOOP_MS) run();
      else rest();
    });
  };
  const rest = () => {
    const ms = performance.now() - started;
    isBusy = line.size() > 0;
    if (!isBusy) return;
    // A timer waits for at least a millisecond.
    if (ms < 1) setImmediate(startTurn);
    else setTimeout(() => setImmediate(startTurn), ms);
  };
  return (place = PROCESS) =>
    new Promise((go) => {
      line.add(place, go);
      if (isBusy) return;
      isBusy = true;
      setImmediate(startTurn);
    });
}

/** Runs work within the time limit of a request. */
export interface TimeLimit {
  readonly inTime: <T>(work: () => Promise<T>) => Promise<T>;
  /** Place of the work among that which waits for turns. Null if it needs no turns, because its thread does nothing else. */
  readonly place?: Place | null | undefined;
}

/** Takes a turn within the time limit of a request. */
export async function takeTurnOf({ inTime, place }: TimeLimit): Promise<void> {
  if (place !== null) await inTime(() => takeTurn(place));
}

/** Time limit of work that several requests wait for. Each of them waits within its own limit. */
export const UNLIMITED = {
  inTime: async <T>(work: (msLeft: number) => T | Promise<T>) => work(Number.POSITIVE_INFINITY),
};

/**
 * Paces the computations of one request that run in the same round of the event loop: after LOOP_MS of them, the next one
 * waits for a turn.
 */
export interface Pace {
  /**
   * Returns undefined if a computation may start now, or else a promise to wait for. It rejects once the request's time
   * is up.
   */
  readonly start: () => Promise<void> | undefined;
}

/**
 * Returns the CPU time of this process in milliseconds. On a busy machine, the time that other processes take must not
 * delay computations that need to start together, such as DataLoader's.
 */
function readCpu(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** Creates the pace of a request. */
export function createPace(time: TimeLimit): Pace {
  const waiting: (() => void)[] = [];
  let isRunning = false;
  let started = 0;
  /** Milliseconds of computations since the last turn. */
  let spent = 0;
  const run = () => {
    isRunning = true;
    started = readCpu();
    waiting.shift()?.();
    afterThis(() => {
      spent += readCpu() - started;
      next();
    });
  };
  const next = () => {
    isRunning = waiting.length > 0;
    if (!isRunning) return;
    if (spent < LOOP_MS) return run();
    takeTurn(time.place ?? PROCESS).then(() => {
      spent = 0;
      run();
    });
  };
  const wait = () =>
    time.inTime(
      () =>
        new Promise<void>((go) => {
          waiting.push(go);
          if (!isRunning) next();
        }),
    );
  return {
    start() {
      const ms = isRunning ? spent + readCpu() - started : spent;
      if (ms >= LOOP_MS) return wait();
      if (!isRunning) run();
      return undefined;
    },
  };
}

/** Runs work and lets other requests run every 10 ms. Rejects once the request's time is up. */
export async function runInTurns<Result>(steps: Steps<Result>, time: TimeLimit): Promise<Result> {
  for (;;) {
    await takeTurnOf(time);
    const end = performance.now() + LOOP_MS;
    do {
      const { done, value } = steps.next();
      if (done) return value;
    } while (performance.now() < end);
  }
}

/** Runs work without a pause. */
export function runAtOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Calls `work` for each item in order, in turns (see `runInTurns`), and resolves to the results. */
export async function mapInTurns<Item, Result>(
  items: Iterable<Item>,
  time: TimeLimit,
  work: (item: Item) => Result,
): Promise<Result[]> {
  const steps = mapInSteps(items, work);
  // The first step ends before the first item. Without any, there is nothing to wait for.
  const { done, value } = steps.next();
  return done ? value : runInTurns(steps, time);
}

/** Calls `work` for each item in order, with a pause before each, and returns the results. */
export function* mapInSteps<Item, Result>(
  items: Iterable<Item>,
  work: (item: Item) => Result,
): Steps<Result[]> {
  const results: Result[] = [];
  for (const item of items) {
    yield;
    results.push(work(item));
  }
  return results;
}
