import { readdir, readFile } from "node:fs/promises";
import { parse, print } from "graphql";
import { describe, expect, it } from "vitest";
import { listFaults } from "../../src/catalogue/read.js";
import { OPERATIONS } from "../../src/generated/catalogue.js";
import { createSchema } from "../../src/graphql/schema/schema.js";
import { SCHEMA_FILE } from "../../src/paths.js";

const files = (await readdir("src/operations", { recursive: true })).filter((file) =>
  file.endsWith(".graphql"),
);

describe("src/operations", () => {
  it("fits the schema, with existing directives and arguments", async () => {
    const schema = createSchema(await readFile(SCHEMA_FILE, "utf8"));
    expect(listFaults(schema, OPERATIONS)).toEqual([]);
    const [[file, text] = ["", ""]] = Object.entries(OPERATIONS);
    expect(listFaults(schema, { [file]: text.replace("@rest(", "@rest(paht: 1, ") })).not.toEqual([]);
  });

  // The formatter of the project cannot read descriptions of operations.
  it.each(files)("%s is formatted as graphql prints it", async (file) => {
    const text = await readFile(`src/operations/${file}`, "utf8");
    expect(text).toBe(`${print(parse(text))}\n`);
    expect(text.split("\n").length).toBeLessThanOrEqual(200);
  });
});
