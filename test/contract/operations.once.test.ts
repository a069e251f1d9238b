import { readdir, readFile } from "node:fs/promises";
import { parse, print } from "graphql";
import { describe, expect, it } from "vitest";

const files = (await readdir("src/operations", { recursive: true })).filter((file) =>
  file.endsWith(".graphql"),
);

describe("src/operations", () => {
  // The formatter of the project cannot read descriptions of operations.
  it.each(files)("%s is written as graphql prints it", async (file) => {
    const text = await readFile(`src/operations/${file}`, "utf8");
    expect(text).toBe(`${print(parse(text))}\n`);
    expect(text.split("\n").length).toBeLessThanOrEqual(200);
  });
});
