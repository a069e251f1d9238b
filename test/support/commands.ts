import { expect } from "vitest";
import type { CommandDatabase } from "./command-database.js";
import type { HostedEnd } from "./command-host.js";
import { runCommand } from "./run-command.js";
import { learnKeys } from "./secrets.js";
import { useCommandDatabase } from "./use.js";
import { words } from "./words.js";

type Env = Readonly<Record<string, string>>;

/** Commands that work on a database of their own. */
export interface Commands {
  readonly database: CommandDatabase;
  /** Runs a command line, in which quotes enclose words with spaces. */
  run(line: string, env?: Env): Promise<HostedEnd>;
  /** Runs a command line with --json, which must succeed and print nothing else; returns what it prints. */
  // biome-ignore lint/suspicious/noExplicitAny: each test asserts the shape
  json(line: string, env?: Env): Promise<any>;
  /** Expects that a command line ends with this code, and prints these texts: on standard error unless it is 0. */
  ends(line: string, code: number, ...texts: readonly (string | RegExp)[]): Promise<void>;
}

/** Creates a database for the tests, with commands that start with `prefix` and run in the folder `cwd`. */
export function useCommands(prefix: string, cwd?: string): Commands {
  const database = useCommandDatabase();
  const run = (line: string, env?: Env) =>
    runCommand([...words(prefix), ...words(line)], { env: { ...database.env, ...env }, ...(cwd && { cwd }) });
  return {
    database,
    run,
    async json(line, env) {
      const { code, stdout, stderr } = await run(`${line} --json`, env);
      expect([line, code, stderr]).toEqual([line, 0, ""]);
      learnKeys(stdout);
      return JSON.parse(stdout);
    },
    async ends(line, code, ...texts) {
      const ended = await run(line);
      expect([line, ended.code]).toEqual([line, code]);
      if (code !== 0) expect(ended.stdout).toBe("");
      const output = code === 0 ? ended.stdout : ended.stderr;
      for (const text of texts)
        expect(output).toEqual(
          typeof text === "string" ? expect.stringContaining(text) : expect.stringMatching(text),
        );
    },
  };
}
