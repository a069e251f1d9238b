import { OperatorError } from "../../errors.js";

/** The result of one check. */
export interface Finding {
  readonly check: string;
  readonly status: "ok" | "warning" | "failure";
  readonly message: string;
  /** The remedy; null if the status is ok. */
  readonly mend: string | null;
}

export const ok = (check: string, message: string): Finding => ({ check, status: "ok", message, mend: null });
export const warn = (check: string, message: string, mend: string): Finding => ({
  check,
  status: "warning",
  message,
  mend,
});
export const fail = (check: string, message: string, mend: string): Finding => ({
  check,
  status: "failure",
  message,
  mend,
});

/** Difference between two clocks above which `doctor` warns. */
const MAX_SKEW_SECONDS = 2;

/**
 * Compares a server's clock, read between `asked` and `answered`, with this machine's. All times are in milliseconds
 * since 1970. Ignores the duration of the round trip.
 */
export function compareClocks(
  server: string,
  { time, asked, answered }: { time: number; asked: number; answered: number },
): Finding {
  const ahead = Math.max(time - answered, 0) - Math.max(asked - time, 0);
  const seconds = Math.abs(ahead / 1_000);
  if (seconds <= MAX_SKEW_SECONDS)
    return ok("clocks", `${server} and this machine agree within ${MAX_SKEW_SECONDS} seconds.`);
  return warn(
    "clocks",
    `${server} is ${seconds.toFixed(1)} seconds ${ahead > 0 ? "ahead of" : "behind"} this machine.`,
    "Synchronize both clocks with NTP (chrony, systemd-timesyncd): keys expire and days begin by this machine's clock.",
  );
}

/**
 * Returns the message of any thrown value. For an AggregateError without a message, returns that of its first error.
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AggregateError && error.message === "") return reasonOf(error.errors[0]);
  return error.message || String((error as { code?: unknown }).code ?? error.name);
}

/** Runs a check. Returns a failure if it throws. */
export async function attempt(
  check: string,
  examineIt: () => Promise<Finding[]> | Finding[],
): Promise<Finding[]> {
  try {
    return await examineIt();
  } catch (error) {
    const message = error instanceof OperatorError ? error.message : `This check failed: ${reasonOf(error)}.`;
    return [fail(check, message, "Fix this, and run doctor again.")];
  }
}
