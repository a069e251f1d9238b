import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { once } from "../../src/domain/once.js";
import { readDeadlineCatalogue } from "../../src/files/reference/deadline-catalogue.js";
import { REFERENCE_FOLDER } from "../../src/paths.js";
import { temporaryFolder } from "../support/process.js";

it("once reads a file again after a failure, and never after a success", async () => {
  const folder = temporaryFolder();
  const read = once(() => readDeadlineCatalogue(folder));
  await expect(read()).rejects.toThrow("ENOENT");
  await copyFile(join(REFERENCE_FOLDER, "deadlines.json"), join(folder, "deadlines.json"));
  const catalogue = await read();
  expect(catalogue.length).toBeGreaterThan(0);
  expect(await read()).toBe(catalogue);
});
