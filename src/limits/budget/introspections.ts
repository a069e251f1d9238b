import type { RequestInfo } from "../../http/request-info.js";
import { subnet } from "../../subnet.js";
import { countOrThrow, createMemoryCounter } from "./counter.js";

/** Maximum number of introspections without credentials from one address in a minute, except for cached answers. */
const PER_MINUTE = 120;

/** Creates the counter of introspections without credentials, in this process. */
export function createIntrospectionCounter() {
  const counter = createMemoryCounter({ limit: PER_MINUTE, seconds: 60 });
  const idOf = (request: RequestInfo) => subnet(request.address());
  return {
    countIntrospection: (request: RequestInfo) =>
      countOrThrow(
        counter,
        idOf(request),
        `At most ${PER_MINUTE} different introspections are allowed in a minute.`,
      ),
    uncountIntrospection: (request: RequestInfo) => counter.uncount(idOf(request)),
  };
}
