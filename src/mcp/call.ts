import type { DocumentNode } from "graphql";
import type { Admission } from "../access/admission.js";
import type { Answer } from "../access/answers.js";
import type { AdmittedContext, OpenContext } from "../access/context.js";
import { createComputation } from "../catalogue/compute.js";
import { prepareCall, type ToolCall } from "../catalogue/tools/call.js";
import type { Tool } from "../catalogue/tools/tool.js";
import type { RateLimitState } from "../domain/rate-limit.js";
import { type SerializedData, serializeData } from "../http/answer/envelope.js";
import type { IncomingCall } from "../http/incoming-call.js";
import type { RequestTracing } from "../http/server/observer.js";

export interface CallOptions {
  /** Returns an answer from the cache, or computes it. */
  readonly answer: Answer<SerializedData>;
  /** Opens the context of a request whose answer is never cached. */
  readonly openContext: OpenContext;
  /** Returns true if all callers of an organization with the same scopes get the same answer to a document. */
  readonly isShared: (document: DocumentNode) => boolean;
  /** Returns true if answers are currently cached. */
  readonly isListening: () => boolean;
  readonly trace: RequestTracing["wrap"];
}

/** Answer of a tool. */
export interface Called {
  /** The answer as JSON, in the form of the tool's `outputSchema`. */
  readonly json: string;
  readonly budget: RateLimitState;
}

/** Calls a tool. The arguments can be any JSON. Throws an AppError if the call is refused. */
export type CallTool = (
  tool: Tool,
  given: unknown,
  incomingCall: Pick<IncomingCall, "request">,
  admission: Admission,
) => Promise<Called>;

/** Creates the function that calls tools. It works like a REST endpoint, with the same cache and limits. */
export function createCallTool(options: CallOptions): CallTool {
  const { answer, openContext, isShared, isListening, trace } = options;
  const run = trace("execute", async (call: ToolCall, context: AdmittedContext) =>
    serializeData(await call.run(context)),
  );
  return async (tool, given, { request }, admission) => {
    const call = prepareCall(tool, given);
    request.record.cost = call.cost;
    const name = `mcp ${tool.name} ${JSON.stringify(call.variables)}`;
    const compute = createComputation(isListening, (context) => run(call, context));
    const answered = isShared(tool.prepared.document)
      ? answer(name, request, admission, compute)
      : compute(openContext(request, admission));
    if (answered instanceof Promise) answered.catch(() => undefined);
    // A caller over the limit gets no data.
    const budget = await admission.rateLimit;
    return { json: (await answered).json, budget };
  };
}
