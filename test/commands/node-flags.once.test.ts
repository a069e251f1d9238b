import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { GARBAGE_FLAG, ONE_CORE_FLAGS } from "../../src/commands/serve/serve.js";

it("uses only garbage collection flags of this Node.js version, which only warns of others", () => {
  const known = execFileSync(process.execPath, ["--v8-options"], { encoding: "utf8" });
  const names = [GARBAGE_FLAG, ...ONE_CORE_FLAGS].map((flag) => flag.replace("--no-", "--").split("=")[0]);
  for (const name of names) expect(known).toContain(`  ${name} (`);
});
