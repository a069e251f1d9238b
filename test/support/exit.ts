import { describeExit } from "../../src/commands/failures.js";

/** The exit code and the message with which a command ends if this fails. Throws if it does not fail. */
export async function exitOf(work: Promise<unknown>): Promise<{ code: number; message: string | null }> {
  const failure = await work.then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  if (failure === undefined) throw new Error("expected a failure");
  return describeExit(failure.error, {});
}
