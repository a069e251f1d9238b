import { readdir, readFile } from "node:fs/promises";
import { expect, it } from "vitest";

/** A difference of clocks, and an upper bound of a duration. */
const MEASURED = /performance\.now\(\) - [a-z]|\b(ms|\w+Ms)\)\s*\.toBeLess/g;

it("no test compares a duration with a constant: a busy machine may exceed any (see support/durations.ts)", async () => {
  const files = (await readdir("test", { recursive: true })).filter((file) => file.endsWith(".test.ts"));
  expect(files.length).toBeGreaterThan(100);
  for (const file of files)
    expect([file, (await readFile(`test/${file}`, "utf8")).match(MEASURED)]).toEqual([file, null]);
});
