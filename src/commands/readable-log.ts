import type { DestinationStream } from "pino";
import type { PrettyOptions } from "pino-pretty";
import { showable, showableLines } from "./terminal.js";

/** Fields that the message of a request's line holds, and those that only a program wants. */
const LEFT_OUT = ["method", "path", "status", "duration_ms", "surface", "trace_id", "organization"];

const OPTIONS: PrettyOptions = {
  ignore: LEFT_OUT.join(","),
  singleLine: true,
  translateTime: "SYS:HH:MM:ss.l",
  messageFormat: ({ method, path, status, duration_ms, msg }) =>
    method === undefined ? String(msg) : `${method} ${path} ${status} in ${duration_ms} ms`,
};

/** Makes lines for people of a log that goes to a terminal; undefined for a file or a pipe, which gets JSON. */
export async function readableLog(stream: NodeJS.WriteStream): Promise<DestinationStream | undefined> {
  if (!stream.isTTY) return undefined;
  const { prettyFactory } = await import("pino-pretty");
  const format = prettyFactory({ ...OPTIONS, colorize: stream.hasColors() });
  return { write: (line) => void stream.write(format(JSON.parse(line, showText))) };
}

/** Clients choose texts such as the name of an operation: a terminal must show them and not obey them. */
function showText(field: string, value: unknown): unknown {
  if (typeof value !== "string") return value;
  return field === "stack" ? showableLines(value) : showable(value);
}
