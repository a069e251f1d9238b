import { type DestinationStream, type Logger, pino } from "pino";

export type { Logger };

/** JSON lines on standard error: standard output is for what a command was asked to print. */
export function createLogger(level: string, destination: DestinationStream = pino.destination(2)): Logger {
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers: { err: describeError } },
    destination,
  );
}

/** Drivers put a statement's parameters on their errors, the hash of a key among them: nothing else is taken over. */
function describeError(error: unknown) {
  if (!(error instanceof Error)) return { message: String(error) };
  const { type, message, stack, code } = pino.stdSerializers.err(error);
  return { type, message, code, stack };
}
