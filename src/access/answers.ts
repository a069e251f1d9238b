import type { Cache } from "../data/cache/cache.js";
import { scopeBits } from "../domain/scopes.js";
import type { RequestInfo } from "../http/request-info.js";
import type { Admission } from "./admission.js";
import type { AdmittedContext, OpenContext } from "./context.js";

const DAY_MS = 86_400_000;

/**
 * Answers from the cache, or computes the answer. `compute` may depend only on `name`, the day, the principal's
 * organization and scopes, and what it reads through its context's tenant.
 */
export type Answer<Value> = (
  name: string,
  request: RequestInfo,
  admission: Admission,
  compute: (context: AdmittedContext) => Promise<Value>,
) => Value | Promise<Value>;

/** Creates the function that answers from a cache. Incomplete answers are not cached. */
export function createAnswer<Value>(
  cache: Cache<Value>,
  openContext: OpenContext,
  isComplete: (value: Value) => boolean = () => true,
): Answer<Value> {
  return (name, request, admission, compute) => {
    const { organization, scopes } = admission.principal;
    const day = Math.floor(request.now.getTime() / DAY_MS);
    // V8 would keep a template as a tree of its parts, which takes several times as much memory.
    const fullName = [organization.id, day, scopeBits(scopes), name].join(" ");
    return cache.getOrCompute(fullName, organization.id, request, async () => {
      const context = openContext(request, admission);
      const value = await compute(context);
      const { organizationId, basis } = context.access.tenant;
      return { value, basis: isComplete(value) ? { organizationId, ...basis } : null };
    });
  };
}
