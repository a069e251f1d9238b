import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { GARBAGE_FLAG } from "../../src/commands/serve/serve.js";

it("the flag that bounds garbage is one that this Node.js has: it would only warn of another", () => {
  const [name = ""] = GARBAGE_FLAG.split("=");
  expect(execFileSync(process.execPath, ["--v8-options"], { encoding: "utf8" })).toContain(`  ${name} (`);
});
