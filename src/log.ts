import { type Logger, pino } from "pino";

export type { Logger };

/** JSON lines on standard error: standard output is for what a command was asked to print. */
export function createLogger(level: string): Logger {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, pino.destination(2));
}
