import { maskSecrets } from "../../domain/keys/secrets.js";
import { escapeHidden } from "../../domain/texts/clean.js";
import type { AppError, ErrorCode } from "../../errors.js";

/** A failure, worded for the caller of a tool. */
export interface ToolFailure {
  /** The fault and, for most codes, what to do about it. */
  readonly text: string;
  readonly code: ErrorCode;
  /** Path of the faulty argument, such as `activities[0].unit`. */
  readonly argument?: string;
  readonly retry_after_s?: number;
}

/** Advice for the caller, by error code. */
const ADVICE: Partial<Readonly<Record<ErrorCode, string>>> = {
  BAD_REQUEST: "Correct the argument, and call the tool again.",
  BAD_USER_INPUT: "Correct the argument, and call the tool again.",
  VALIDATION_FAILED: "Correct the argument, and call the tool again.",
  NOT_FOUND: "Get the id or code from a tool that lists or searches.",
  INSUFFICIENT_DATA: "Report that there is too little data. Do not estimate.",
  CURSOR_EXPIRED: "Call the tool again without a cursor.",
  INTERNAL_ERROR: "Try again once. If it fails again, report the request id.",
};

const SEE_FACILITIES = "Get the code from list_facilities.";

/** Describes why a tool call failed. */
export function describeFailure({ code, message, details, headers, extensions }: AppError): ToolFailure {
  const seconds = Number(headers["Retry-After"]);
  const retry = headers["Retry-After"] === undefined ? {} : { retry_after_s: seconds };
  // The parts of the body are the tool's arguments. An argument may have an empty name.
  const inWords = message.replaceAll(/\bbody\./g, "").replace(/^body: /, '"": ');
  const own = sentence(escapeHidden(maskSecrets(inWords)));
  if (code === "RATE_LIMIT_EXCEEDED") {
    return { text: `${own} Wait ${seconds} s before you retry.`, code, ...retry };
  }
  const named = extensions["argument"] ?? details?.[0]?.path ?? /^([a-z][\w.[\]]*): /.exec(own)?.[1];
  const argument = typeof named === "string" ? named.replace(/^body\./, "") || '""' : undefined;
  const advice = /^(?:facility_codes\b|code$)/.test(argument ?? "") ? SEE_FACILITIES : ADVICE[code];
  return {
    text: advice ? `${own} ${advice}` : own,
    code,
    ...(argument !== undefined && { argument: escapeHidden(argument) }),
    ...retry,
  };
}

const sentence = (text: string) => (/[.!?…]$/.test(text) ? text : `${text}.`);
