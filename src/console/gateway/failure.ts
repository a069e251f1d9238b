/** A problem with one field of an input. */
export interface Problem {
  readonly path: string;
  readonly message: string;
}

/** A question about a probable mistake. To confirm the input, send it again with the question's code. */
export interface GatewayQuestion {
  readonly code: string;
  readonly message: string;
  /** The compared figures; their shape depends on the code. */
  readonly figures: unknown;
}

interface FailureDetails {
  readonly problems?: readonly Problem[] | undefined;
  readonly questions?: readonly GatewayQuestion[] | undefined;
  readonly retryAfter?: number | null;
}

/** An error response of the gateway, `OFFLINE` for a missing response, or an error of the console itself. */
export class GatewayFailure extends Error {
  readonly code: string;
  readonly problems: readonly Problem[];
  /** The questions of `CONFIRMATION_REQUIRED`. */
  readonly questions: readonly GatewayQuestion[];
  /** Seconds until the same request may succeed; null if the gateway did not say. */
  readonly retryAfter: number | null;

  constructor(code: string, message: string, details: FailureDetails = {}) {
    const { problems = [], questions = [], retryAfter = null } = details;
    super(retryAfter === null ? message : message.replace(/in \d+ seconds/, timeAfter(retryAfter)));
    this.name = "GatewayFailure";
    this.code = code;
    this.problems = problems;
    this.questions = questions;
    this.retryAfter = retryAfter;
  }
}

/** Moves the problems of a failure to other fields. Returns any other thrown value unchanged. */
export const reassignProblems = (thrown: unknown, move: (problem: Problem) => Problem): unknown =>
  thrown instanceof GatewayFailure
    ? new GatewayFailure(thrown.code, thrown.message, {
        problems: thrown.problems.map(move),
        questions: thrown.questions,
        retryAfter: thrown.retryAfter,
      })
    : thrown;

/** Returns true if a change failed because the row has changed since it was read. */
export const isVersionConflict = (thrown: unknown): boolean =>
  thrown instanceof GatewayFailure &&
  thrown.code === "CONFLICT" &&
  thrown.problems.some(({ path }) => path === "version");

/** Returns the message that the console shows for anything thrown. */
export function messageOf(thrown: unknown): string {
  if (isVersionConflict(thrown))
    return "Someone else has changed this in the meantime. Close this, then open it again.";
  return thrown instanceof Error ? thrown.message : "Something went wrong. Reload the page and try again.";
}

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });

/** Returns the time of day that is `seconds` from now: `at 10:32:05`. */
export const timeAfter = (seconds: number): string =>
  `at ${clock.format(new Date(Date.now() + seconds * 1_000))}`;
