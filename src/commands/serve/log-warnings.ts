import type { Logger } from "../../log.js";

/** Logs warnings of Node.js and of drivers, which Node.js would otherwise print as plain text. */
export function logWarnings(log: Logger): void {
  process.removeAllListeners("warning");
  process.on("warning", (err) => log.warn({ err }, "a warning of Node.js"));
}
