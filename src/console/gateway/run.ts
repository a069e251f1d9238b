import type { TypedOperation } from "../../generated/console.js";
import { GatewayFailure } from "./failure.js";
import { promptUser, sendWithRetries } from "./interruptions.js";
import { post } from "./post.js";

/**
 * Runs an operation. If the session has ended, or the gateway needs a recent proof or a second factor, asks the user
 * and continues. A query also waits while the gateway is unavailable or says when to retry. A mutation fails instead:
 * it may have succeeded, or the user may no longer want it.
 */
export async function run<Data, Variables>(
  operation: TypedOperation<Data, Variables>,
  variables: Variables,
  signal?: AbortSignal,
): Promise<Data> {
  const isQuery = !/^\s*mutation\b/.test(operation.source);
  const send = () => post<Data>("/graphql", { query: operation.source, variables }, signal);
  return sendWithPrompts(isQuery ? () => sendWithRetries(send) : send);
}

/** Sends a request. If it needs a sign-in, a proof or a second factor, asks the user for it and sends it again. */
export async function sendWithPrompts<Data>(send: () => Promise<Data>): Promise<Data> {
  for (;;) {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof GatewayFailure)) throw error;
      if (isSignedOut(error)) await promptUser("sign-in");
      else if (error.code === "REAUTHENTICATION_REQUIRED")
        await promptUser(error.problems.some(({ path }) => path === "sso") ? "own-proof" : "proof");
      else if (isFactorRequired(error)) await promptUser("factor");
      else throw error;
    }
  }
}

/** Returns true if a failure means that nobody is signed in. Without a cookie, GraphQL asks for an API key. */
export const isSignedOut = (error: unknown): boolean =>
  error instanceof GatewayFailure && (error.code === "UNAUTHENTICATED" || error.code === "INVALID_KEY");

/** Returns true if a failure means that the organization or a role requires a second factor. */
export const isFactorRequired = (error: unknown): boolean =>
  error instanceof GatewayFailure && error.code === "SECOND_FACTOR_REQUIRED";
