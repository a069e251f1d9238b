import type { z } from "zod";
import type { IncomingCall } from "../../../http/incoming-call.js";
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
  readonly handle: (body: Body, incomingCall: IncomingCall, caller: Caller, params: Params) => Promise<Reply>;
};

/** Creates endpoints that run a check before they read the body. The check returns what their handlers need. */
export const endpointsWith =
  <Caller>(needsSession: boolean, check: (incomingCall: IncomingCall) => Caller | Promise<Caller>) =>
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
    async handle(incomingCall, readInput) {
      const caller = await check(incomingCall);
      const input = await readInput();
      return handle(input.body as Body, incomingCall, caller, input.params as Params);
    },
  });
