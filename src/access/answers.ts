import type { Cache } from "../data/cache/cache.js";
import { scopeBits } from "../domain/scopes.js";
import type { RequestInfo } from "../http/request-info.js";
import type { Admission } from "./admission.js";
import type { AdmittedContext, OpenContext } from "./context.js";

const DAY_MS = 86_400_000;

/**
 * Answers from memory, or computes. `name` says what is asked, and `compute` must depend on nothing else but it, the id
 * of the principal's organization, its scopes, the day, and what it reads through its context's tenant.
 */
export type Answer<Value> = (
  name: string,
  request: RequestInfo,
  admission: Admission,
  compute: (context: AdmittedContext) => Promise<Value>,
) => Value | Promise<Value>;

/** Makes the function that answers from a memory. What is not complete is passed on, and not remembered. */
export function createAnswer<Value>(
  cache: Cache<Value>,
  openContext: OpenContext,
  isComplete: (value: Value) => boolean = () => true,
): Answer<Value> {
  return (name, request, admission, compute) => {
    const { organization, scopes } = admission.principal;
    const day = Math.floor(request.now.getTime() / DAY_MS);
    // Joined: a template would be kept as the tree of its parts, which takes several times as much.
    const fullName = [organization.id, day, scopeBits(scopes), name].join(" ");
    return cache.getOrCompute(fullName, organization.id, request, async () => {
      const context = openContext(request, admission);
      const value = await compute(context);
      const { organizationId, basis } = context.access.tenant;
      return { value, basis: isComplete(value) ? { organizationId, ...basis } : null };
    });
  };
}
