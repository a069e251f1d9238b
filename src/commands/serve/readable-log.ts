import type { DestinationStream } from "pino";
import type { PrettyOptions } from "pino-pretty";
import { printable, printableLines } from "../output/terminal.js";

/** Fields that the message repeats, or that are only useful to programs. */
const LEFT_OUT = [
  "method",
  "path",
  "status",
  "duration_ms",
  "surface",
  "trace_id",
  "session_id",
  "organization",
];

const OPTIONS: PrettyOptions = {
  ignore: LEFT_OUT.join(","),
  singleLine: true,
  translateTime: "SYS:HH:MM:ss.l",
  messageFormat: ({ method, path, status, duration_ms, msg }) =>
    method === undefined ? String(msg) : `${method} ${path} ${status} in ${duration_ms} ms`,
};

/** Returns a stream that formats log lines for a terminal; undefined for a file or pipe, which gets JSON. */
export async function readableLog(stream: NodeJS.WriteStream): Promise<DestinationStream | undefined> {
  if (!stream.isTTY) return undefined;
  const { prettyFactory } = await import("pino-pretty");
  const format = prettyFactory({ ...OPTIONS, colorize: stream.hasColors() });
  return { write: (line) => void stream.write(format(JSON.parse(line, makePrintable))) };
}

/** Makes a value safe to print, because some values, such as operation names, come from clients. */
function makePrintable(field: string, value: unknown): unknown {
  if (typeof value !== "string") return value;
  return field === "stack" ? printableLines(value) : printable(value);
}
