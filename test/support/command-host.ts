import { Writable } from "node:stream";
import { MAIN } from "./main-file.js";

/** What a host is asked to run: a command's words, all of its environment, and the folder that it runs in. */
export interface HostedCommand {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

/** How a command ended, and what it printed. */
export interface HostedEnd {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Stands for the end of the process, which `process.exit` is here. */
class Exit extends Error {
  readonly code: number;

  constructor(code: number) {
    super(`exit ${code}`);
    this.code = code;
  }
}

let count = 0;

// A program of its own, which runs one command after another: each as main.ts itself, evaluated anew, while what it
// imports stays loaded.
process.on("message", async (command: HostedCommand) => {
  process.send?.(await run(command));
});
process.on("disconnect", () => process.exit());

async function run({ args, env, cwd }: HostedCommand): Promise<HostedEnd> {
  const [stdout, stderr] = [capture("stdout"), capture("stderr")];
  process.argv = [process.execPath, MAIN, ...args];
  process.env = { ...env };
  process.chdir(cwd);
  process.exitCode = undefined;
  process.exit = (code) => {
    throw new Exit(Number(code ?? process.exitCode ?? 0));
  };
  count += 1;
  try {
    await import(`${MAIN}?${count}`);
    return { code: Number(process.exitCode ?? 0), stdout: stdout(), stderr: stderr() };
  } catch (error) {
    if (error instanceof Exit) return { code: error.code, stdout: stdout(), stderr: stderr() };
    throw error;
  }
}

/** Collects what is written to a standard stream from now on. */
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
