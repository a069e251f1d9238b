import type { TypedOperation } from "../../generated/console.js";
import { GatewayFailure } from "./failure.js";
import { ask, awaitReturn } from "./interruptions.js";
import { post } from "./post.js";

/**
 * Runs an operation. Where the session has ended or the password is needed again, it asks the person and goes on; a query
 * also waits for a gateway that is away, while a mutation fails, since nobody knows whether it was done.
 */
export async function run<Data, Variables>(
  operation: TypedOperation<Data, Variables>,
  variables: Variables,
  signal?: AbortSignal,
): Promise<Data> {
  const isQuery = !/^\s*mutation\b/.test(operation.source);
  for (;;) {
    try {
      return await post<Data>("/graphql", { query: operation.source, variables }, signal);
    } catch (error) {
      if (!(error instanceof GatewayFailure)) throw error;
      if (error.code === "OFFLINE" && isQuery) await awaitReturn();
      else if (isSignedOut(error)) await ask("sign-in");
      else if (error.code === "REAUTHENTICATION_REQUIRED") await ask("password");
      else throw error;
    }
  }
}

/** Whether a failure means that nobody is signed in. Without a cookie, GraphQL asks for an API key. */
export const isSignedOut = (error: unknown): boolean =>
  error instanceof GatewayFailure && (error.code === "UNAUTHENTICATED" || error.code === "INVALID_KEY");
