import { expect, it } from "vitest";
import { limitTime } from "../src/time-limit.js";
import { mapInTurns } from "../src/turns.js";

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
