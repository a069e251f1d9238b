import { describe, expect, it } from "vitest";
import { type CommandDatabase, makeCommandDatabase } from "../support/command-database.js";
import { runCommand } from "../support/run-command.js";

describe("the database of a command", () => {
  it("is named on standard error without user and password, but not with --json", async () => {
    const commands = await makeCommandDatabase();
    try {
      const { stderr } = await runCommand(["organizations", "list"], { env: commands.env });
      expect(stderr).toBe(`Database: ${placeOf(commands)}\n`);
      const json = await runCommand(["organizations", "list", "--json"], { env: commands.env });
      expect(json).toEqual({ code: 0, stdout: "[]\n", stderr: "" });
    } finally {
      await commands.close();
    }
    const away = "postgresql://someone:hunter@127.0.0.1:1/x?password=hunter";
    const { code, stderr } = await runCommand(["keys", "list"], { env: { DATABASE_URL: away } });
    expect(code).toBe(1);
    expect(stderr).toEqual(expect.stringMatching(/^Database: PostgreSQL at 127\.0\.0\.1:1\/x\n/));
    expect(stderr).not.toMatch(/hunter|someone/);
  });
});

function placeOf({ env }: CommandDatabase): string {
  if ("DATA_DIR" in env) return `embedded in ${env.DATA_DIR}`;
  const { host, pathname } = new URL(env.DATABASE_URL);
  return `PostgreSQL at ${host}${pathname}`;
}
