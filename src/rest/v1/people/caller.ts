import { z } from "zod";
import { shapeAt } from "../../../catalogue/problems.js";
import type { Override } from "../../catalogued.js";

/** The signed-in person or the service account that makes the request. */
interface Caller {
  readonly viewer: object | null;
  readonly service_account: object | null;
}

/** Returns the person or the service account itself, without the object around it. */
export const caller: Override = (derived) => ({
  ...derived,
  data: z.union(
    ["viewer", "service_account"].map((part) => shapeAt(derived.data, [part]) as z.ZodType) as [z.ZodType],
  ),
  example: (derived.example as Caller).viewer,
  reshape(result, body) {
    const { viewer, service_account: account } = derived.reshape(result, body) as Caller;
    return viewer ?? account;
  },
});
