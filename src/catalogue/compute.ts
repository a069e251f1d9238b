import type { AdmittedContext } from "../access/context.js";

/**
 * Creates the function that computes an answer. While nothing is cached, or once the limit is exceeded, it waits for
 * the rate limit first, so that a refused request costs no statement.
 */
export const createComputation =
  <Value>(isListening: () => boolean, compute: (context: AdmittedContext) => Promise<Value>) =>
  async (context: AdmittedContext): Promise<Value> => {
    const { rateLimit, wasExceeded } = context.access;
    if (!isListening() || wasExceeded) await rateLimit;
    return compute(context);
  };
