/** What is wrong with one part of an input. */
export interface Problem {
  readonly path: string;
  readonly message: string;
}

/** What the gateway refused, by the code of its answer; `OFFLINE` if it did not answer. */
export class GatewayFailure extends Error {
  readonly code: string;
  readonly problems: readonly Problem[];

  constructor(code: string, message: string, problems: readonly Problem[] = []) {
    super(message);
    this.name = "GatewayFailure";
    this.code = code;
    this.problems = problems;
  }
}

/** What is said of a failure, whatever was thrown. */
export const messageOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : "Something went wrong. Reload the page and try again.";
