import type { DocumentNode } from "graphql";
import type { Admission } from "../access/admission.js";
import type { Answer } from "../access/answers.js";
import type { AdmittedContext, OpenContext } from "../access/context.js";
import { prepareCall, type ToolCall } from "../catalogue/call.js";
import { createComputation } from "../catalogue/compute.js";
import type { Tool } from "../catalogue/tool.js";
import type { RateLimitState } from "../domain/rate-limit.js";
import type { Arrival } from "../http/arrival.js";
import { type SerializedData, serializeData } from "../http/envelope.js";
import type { RequestTracing } from "../http/server/observer.js";

export interface CallOptions {
  /** Answers from the cache, or computes the answer. */
  readonly answer: Answer<SerializedData>;
  /** Opens the context of a request whose answer the cache never holds. */
  readonly openContext: OpenContext;
  /** Returns true if all callers of one organization with the same scopes get the same answer to a document. */
  readonly isShared: (document: DocumentNode) => boolean;
  /** Returns true if answers are cached at present. */
  readonly isHeard: () => boolean;
  readonly trace: RequestTracing["wrap"];
}

/** A tool's answer. */
export interface Called {
  /** The answer as JSON, which the tool's `outputSchema` describes. */
  readonly json: string;
  readonly budget: RateLimitState;
}

/** Calls a tool with arguments of any form. Throws an AppError that names the fault. */
export type CallTool = (
  tool: Tool,
  given: unknown,
  arrival: Pick<Arrival, "request">,
  admission: Admission,
) => Promise<Called>;

/** Creates the function that calls tools, as REST runs the operation of an endpoint: with the same cache and limits. */
export function createCallTool(options: CallOptions): CallTool {
  const { answer, openContext, isShared, isHeard, trace } = options;
  const run = trace("execute", async (call: ToolCall, context: AdmittedContext) =>
    serializeData(await call.run(context)),
  );
  return async (tool, given, { request }, admission) => {
    const call = prepareCall(tool, given);
    request.record.cost = call.cost;
    const name = `mcp ${tool.name} ${JSON.stringify(call.variables)}`;
    const compute = createComputation(isHeard, (context) => run(call, context));
    const answered = isShared(tool.prepared.document)
      ? answer(name, request, admission, compute)
      : compute(openContext(request, admission));
    if (answered instanceof Promise) answered.catch(() => undefined);
    // Nothing is sent to a caller whose limit is exceeded.
    const budget = await admission.rateLimit;
    return { json: (await answered).json, budget };
  };
}
