/**
 * Signals that arrive this soon after the first belong to the same key press, in milliseconds. A terminal sends SIGINT
 * to npm and to the gateway, and npm sends it to the gateway again.
 */
const SAME_PRESS_MS = 2_000;

/**
 * Calls `stop` on the first SIGTERM or SIGINT. A later SIGINT exits immediately, with 130, unless it belongs to the key
 * press of the first.
 */
export function onStopSignal(stop: (signal: NodeJS.Signals) => void): void {
  let firstAt: number | undefined;
  const receive = (signal: NodeJS.Signals) => {
    if (firstAt === undefined) {
      firstAt = performance.now();
      stop(signal);
    } else if (signal === "SIGINT" && performance.now() - firstAt > SAME_PRESS_MS) {
      process.exit(130);
    }
  };
  process.on("SIGTERM", receive);
  process.on("SIGINT", receive);
}
