import type { DocumentNode } from "graphql";
import { z } from "zod";
import type { Admission } from "../access/admission.js";
import type { Answer } from "../access/answers.js";
import type { AdmittedContext, OpenContext } from "../access/context.js";
import { createComputation } from "../catalogue/compute.js";
import { listProblems, writeProblem } from "../catalogue/problems.js";
import type { Tool } from "../catalogue/tool.js";
import type { RateLimitState } from "../domain/rate-limit.js";
import { AppError, MOST_PROBLEMS } from "../errors.js";
import type { Arrival } from "../http/arrival.js";
import { type SerializedData, serializeData } from "../http/envelope.js";
import type { RequestTracing } from "../http/server/observer.js";
import { clean } from "./clean.js";

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
  /** Returns the sequence number of the last entry of the caller's audit trail; null while it has none. */
  readonly readSeq: (context: AdmittedContext) => Promise<number | null>;
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
  const { answer, openContext, isShared, isHeard, trace, readSeq } = options;
  const run = trace("execute", async (tool: Tool, context: AdmittedContext, input: unknown) => {
    // Before the data, which then shows at least the changes up to this one.
    const seq = await readSeq(context);
    const result = await tool.prepared.run(context, tool.variables(input), input);
    return serializeData({ ...clean(tool.reshape(result)), as_of: { seq } });
  });
  return async (tool, given, { request }, admission) => {
    const input = readArguments(tool, given);
    const variables = tool.variables(input);
    request.record.cost = tool.prepared.costOf(variables);
    const name = `mcp ${tool.name} ${JSON.stringify(variables)}`;
    const compute = createComputation(isHeard, (context) => run(tool, context, input));
    const answered = isShared(tool.prepared.document)
      ? answer(name, request, admission, compute)
      : compute(openContext(request, admission));
    if (answered instanceof Promise) answered.catch(() => undefined);
    // Nothing is sent to a caller whose limit is exceeded.
    const budget = await admission.rateLimit;
    return { json: (await answered).json, budget };
  };
}

/** Reads the arguments of a tool. Throws BAD_REQUEST, which names each that does not fit. */
function readArguments({ shape }: Tool, given: unknown): unknown {
  // Clients that must fill in every property send null for those that they would leave out.
  const body = Object.fromEntries(Object.entries(given ?? {}).filter(([, value]) => value !== null));
  const whole = z.object({ body: shape });
  const { data, error } = whole.safeParse({ body });
  if (data) return data.body;
  const problems = listProblems(whole, { body }, error.issues);
  const named = problems.slice(0, MOST_PROBLEMS);
  const others = problems.length > named.length ? [`and ${problems.length - named.length} more`] : [];
  throw new AppError("VALIDATION_FAILED", [...named.map(writeProblem), ...others].join("; "), {
    details: named.map(({ path, message }) => ({ path, message })),
    omittedDetails: problems.length - named.length,
  });
}
