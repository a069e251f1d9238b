import { describeExit } from "../../src/commands/failures.js";

/** Returns the exit code and the message of a command that fails with the error of `work`. Throws if it succeeds. */
export async function exitOf(work: Promise<unknown>): Promise<{ code: number; message: string | null }> {
  const failure = await work.then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  if (failure === undefined) throw new Error("expected a failure");
  return describeExit(failure.error, {});
}
