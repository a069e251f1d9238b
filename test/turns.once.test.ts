import { expect, it } from "vitest";
import { createFairLine } from "../src/domain/fair-line.js";
import { limitTime } from "../src/time-limit.js";
import { createPace, mapInTurns, takeTurn } from "../src/turns.js";

/** Blocks the event loop for some milliseconds. */
function block(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

it("mapInTurns serves others while it loops, and returns the results in order", async () => {
  let served = 0;
  const timer = setInterval(() => (served += 1), 1);
  const numbers = Array.from({ length: 40 }, (_, index) => index);
  const inTime = limitTime(60_000);
  const results = await mapInTurns(numbers, { inTime }, (number) => {
    block(3);
    return 2 * number;
  });
  clearInterval(timer);
  expect(results).toEqual(numbers.map((number) => 2 * number));
  // 120 ms in turns of 10 ms.
  expect(served).toBeGreaterThanOrEqual(8);
});

it("mapInTurns stops when the time of the request is over", async () => {
  let done = 0;
  const loop = mapInTurns(Array.from({ length: 1_000 }), { inTime: limitTime(50) }, () => {
    block(3);
    done += 1;
  });
  await expect(loop).rejects.toThrow("The request took longer than 0.05 seconds.");
  const stopped = done;
  await mapInTurns([1], { inTime: limitTime(60_000) }, () => undefined);
  expect(done).toBe(stopped);
});

/** Counts how often the event loop comes around while `work` runs. */
async function countRounds(work: () => Promise<unknown>): Promise<number> {
  let rounds = 0;
  let isOver = false;
  const count = () => {
    rounds += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await work();
  isOver = true;
  return rounds;
}

const COUNT = 20;
const each = <Result>(work: (index: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: COUNT }, (_, index) => work(index)));

it("a turn ends after 10 ms, however many pieces of work wait for one", async () => {
  const order: number[] = [];
  const rounds = await countRounds(() =>
    each(async (index) => {
      await takeTurn();
      block(12);
      order.push(index);
    }),
  );
  expect(order).toEqual(Array.from({ length: COUNT }, (_, index) => index));
  expect(rounds).toBeGreaterThanOrEqual(COUNT);
});

it("owners get the same share of the time, and requests of one owner take turns", () => {
  const line = createFairLine<string>();
  const add = (name: string) => line.add({ owner: name[0] as string, request: name[1] as string }, name);
  const run = (ms: number) => {
    const next = line.take();
    next?.charge(ms);
    return next?.work;
  };
  for (const name of ["a1", "a1", "a1", "a2", "b1", "b1", "b1"]) add(name);
  expect([6, 2, 2, 3, 1].map(run)).toEqual(["a1", "b1", "b1", "b1", "a2"]);
  // The time that an owner stays away counts for nothing.
  for (const name of ["c1", "c1"]) add(name);
  expect([1, 3, 9, 1].map(run)).toEqual(["c1", "a1", "c1", "a1"]);
  expect([line.take(), line.size()]).toEqual([undefined, 0]);
});

it("work of one owner does not wait for the turns of another", async () => {
  let done = 0;
  const many = each(async () => {
    await takeTurn({ owner: "many", request: "" });
    block(12);
    done += 1;
  });
  const few = async () => {
    for (let turn = 0; turn < 4; turn += 1) await takeTurn({ owner: "few", request: "" });
    return done;
  };
  expect(await few()).toBeLessThan(COUNT / 2);
  await many;
});

/** Takes some milliseconds of CPU time. */
function burn(ms: number): void {
  const started = process.cpuUsage();
  for (
    let used = process.cpuUsage(started);
    used.user + used.system < 1_000 * ms;
    used = process.cpuUsage(started)
  );
}

it("a request's computations start in one go until they have taken 10 ms", async () => {
  const { start } = createPace({ inTime: limitTime(60_000) });
  const waited: boolean[] = [];
  await each(async () => {
    const wait = start();
    waited.push(wait !== undefined);
    if (wait) await wait;
    burn(3);
  });
  expect(waited[0]).toBe(false);
  expect(waited.slice(5)).toEqual(Array(COUNT - 5).fill(true));
});

it("a wait for the pace ends with the request's time", async () => {
  const { start } = createPace({ inTime: limitTime(50) });
  const all = each(async () => {
    const wait = start();
    if (wait) await wait;
    burn(12);
  });
  await expect(all).rejects.toThrow("The request took longer than 0.05 seconds.");
});
