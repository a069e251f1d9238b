import { Writable } from "node:stream";
import { MAIN, PROGRAM } from "./main-file.js";

/** A command to run: its arguments, its whole environment and its working directory. */
export interface HostedCommand {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

export interface HostedEnd {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

type Program = typeof import("../../src/commands/program.js");
const { runProgram }: Program = await import(PROGRAM);

const exit = process.exit.bind(process);

/** Thrown by `process.exit` while a command runs, to keep this process alive. */
class Exit extends Error {
  readonly code: number;

  constructor(code: number) {
    super(`exit ${code}`);
    this.code = code;
  }
}

// This file runs as a process of its own and runs one command after another, each as main.js would.
process.on("message", async (command: HostedCommand) => {
  process.send?.(await run(command));
});
process.on("disconnect", () => exit());

async function run({ args, env, cwd }: HostedCommand): Promise<HostedEnd> {
  const [stdout, stderr] = [capture("stdout"), capture("stderr")];
  process.argv = [process.execPath, MAIN, ...args];
  process.env = { ...env };
  process.chdir(cwd);
  process.exitCode = undefined;
  process.exit = (code) => {
    throw new Exit(Number(code ?? process.exitCode ?? 0));
  };
  try {
    await runProgram(process.env, () => new Date());
    return { code: Number(process.exitCode ?? 0), stdout: stdout(), stderr: stderr() };
  } catch (error) {
    if (error instanceof Exit) return { code: error.code, stdout: stdout(), stderr: stderr() };
    throw error;
  } finally {
    process.exit = exit;
  }
}

/** Starts collecting the output of a standard stream. Returns a function that reads it. */
function capture(name: "stdout" | "stderr"): () => string {
  let text = "";
  const value = new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, done) {
      text += chunk;
      done();
    },
  });
  Object.defineProperty(process, name, { value, configurable: true });
  return () => text;
}
