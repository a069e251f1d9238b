import type { z } from "zod";
import type { Arrival } from "../../../http/arrival.js";
import type { Method, Reply, SessionEndpoint } from "../../endpoint.js";

type Definition<Caller, Params, Body, Data> = Pick<
  SessionEndpoint,
  "path" | "summary" | "creates" | "isAccepted" | "failures" | "setsCookie"
> & {
  /** POST if omitted. */
  readonly method?: Method;
  /** Path parameters, each a string. */
  readonly params?: z.ZodType<Params>;
  readonly body?: z.ZodType<Body>;
  readonly data: z.ZodType<Data>;
  readonly example: NoInfer<Data>;
  readonly handle: (body: Body, arrival: Arrival, caller: Caller, params: Params) => Promise<Reply>;
};

/** Creates endpoints that run a check before they read the body. The check returns what their handlers need. */
export const rowsFor =
  <Caller>(needsSession: boolean, check: (arrival: Arrival) => Caller | Promise<Caller>) =>
  <Params, Body, Data>({
    method = "POST",
    params,
    body,
    handle,
    ...definition
  }: Definition<Caller, Params, Body, Data>): SessionEndpoint => ({
    ...definition,
    method,
    input: { ...(params && { params }), ...(body && { body }) },
    needsSession,
    async handle(arrival, readInput) {
      const caller = await check(arrival);
      const input = await readInput();
      return handle(input.body as Body, arrival, caller, input.params as Params);
    },
  });
