import type { AdmittedContext } from "../access/context.js";
import { findOwnHead } from "../data/audit/entries.js";
import { clean } from "../domain/texts/clean.js";
import { AppError } from "../errors.js";
import type { Variables } from "./prepare.js";
import { listProblems, nameProblems } from "./problems.js";
import type { Tool } from "./tool.js";

/** A call of a tool whose arguments fit. */
export interface ToolCall {
  /** Variables of the tool's operation. */
  readonly variables: Variables;
  readonly cost: number;
  /** Runs the operation as a caller; returns the answer, which the tool's `outputSchema` describes. */
  run(context: AdmittedContext): Promise<Record<string, unknown>>;
}

/** Prepares a call of a tool with arguments of any form. Throws an AppError that names the fault. */
export function prepareCall(tool: Tool, given: unknown): ToolCall {
  const input = readArguments(tool, given);
  const variables = tool.variables(input);
  return {
    variables,
    cost: tool.prepared.costOf(variables),
    async run(context) {
      // Before the data, which then shows at least the changes up to this one.
      const head = await findOwnHead(context.access.tenant);
      const result = await tool.prepared.run(context, variables, input);
      return { ...clean(tool.reshape(result)), as_of: { seq: head?.seq ?? null } };
    },
  };
}

/** Reads the arguments of a tool. Throws VALIDATION_FAILED, which names each that does not fit. */
function readArguments({ shape }: Tool, given: unknown): unknown {
  // Clients that must fill in every property send null for those that they would leave out.
  const body = Object.fromEntries(Object.entries(given ?? {}).filter(([, value]) => value !== null));
  const { data, error } = shape.safeParse({ body });
  if (data) return data.body;
  const { message, ...details } = nameProblems(listProblems(shape, { body }, error.issues));
  throw new AppError("VALIDATION_FAILED", message, details);
}
