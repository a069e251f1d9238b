import { OperatorError } from "../errors.js";

/** How a command learns of Ctrl-C and of SIGTERM. */
export interface Interruption {
  /** Aborted, with an OperatorError as its reason, when the user wants the command to end. */
  readonly signal: AbortSignal;
  /** From here on the command goes to its end: what it does is being kept. */
  ignore(): void;
  /** Leaves the signals to Node again. */
  end(): void;
}

/** A server that is at work does not answer before it is done, nor a pipe that is silent: they are not waited for. */
const PATIENCE_MS = 1_000;

/**
 * Watches for the signals. When the command has not ended by itself a second later, `tell` gets the reason, and the signal
 * ends the process as if nobody had watched for it; `process.exit` would wait for a read that is under way.
 */
export function watchInterruption(tell: (reason: OperatorError) => void): Interruption {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let ignored = false;
  const stop = (signal: NodeJS.Signals) => {
    if (ignored || controller.signal.aborted) return;
    const reason = new OperatorError("Stopped; nothing was changed.", signal === "SIGINT" ? 130 : 143);
    timer = setTimeout(() => {
      tell(reason);
      end();
      process.kill(process.pid, signal);
    }, PATIENCE_MS);
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
