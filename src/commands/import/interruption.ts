import { OperatorError } from "../../errors.js";

/** Handling of Ctrl-C and SIGTERM during a command. */
export interface Interruption {
  /** Aborts on SIGINT or SIGTERM, with an OperatorError as its reason. */
  readonly signal: AbortSignal;
  /** Ignores signals from now on, because the command is committing. */
  ignore(): void;
  /** Restores the default handling of signals. */
  end(): void;
}

/** Time that an interrupted command has to end. A busy server or a silent pipe could keep it waiting forever. */
const GRACE_MS = 1_000;

/**
 * Watches for SIGINT and SIGTERM. If the command has not ended a second later, passes the reason to `report` and lets
 * the signal kill the process, because `process.exit` would wait for a pending read.
 */
export function watchInterruption(report: (reason: OperatorError) => void): Interruption {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let ignored = false;
  const stop = (signal: NodeJS.Signals) => {
    if (ignored || controller.signal.aborted) return;
    const reason = new OperatorError("Stopped; nothing was changed.", signal === "SIGINT" ? 130 : 143);
    timer = setTimeout(() => {
      report(reason);
      end();
      process.kill(process.pid, signal);
    }, GRACE_MS);
    controller.abort(reason);
  };
  const end = () => {
    clearTimeout(timer);
    process.off("SIGINT", stop).off("SIGTERM", stop);
  };
  process.on("SIGINT", stop).on("SIGTERM", stop);
  return {
    signal: controller.signal,
    ignore() {
      ignored = true;
    },
    end,
  };
}

/** Runs work that SIGINT and SIGTERM stop. `say` prints the reason if it does not stop in time. */
export async function untilInterrupted<T>(
  say: (message: string) => void,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const interruption = watchInterruption(({ message }) => say(message));
  return work(interruption.signal).finally(interruption.end);
}
