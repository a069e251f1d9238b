import type { AdmittedContext } from "../access/context.js";

/**
 * Creates the computation of an answer. A refused request costs no statement while nothing is cached, or once its limit is
 * exceeded.
 */
export const createComputation =
  <Value>(isHeard: () => boolean, compute: (context: AdmittedContext) => Promise<Value>) =>
  async (context: AdmittedContext): Promise<Value> => {
    const { rateLimit, wasSpent } = context.access;
    if (!isHeard() || wasSpent) await rateLimit;
    return compute(context);
  };
