import type { AdmittedContext } from "../../access/context.js";
import { findOwnHead } from "../../data/audit/entries.js";
import { cleanStrings } from "../../domain/texts/clean.js";
import { AppError } from "../../errors.js";
import type { Variables } from "../prepare.js";
import { listProblems, nameProblems } from "../problems.js";
import type { Tool } from "./tool.js";

/** A call of a tool with valid arguments. */
export interface ToolCall {
  /** Variables of the tool's operation. */
  readonly variables: Variables;
  readonly cost: number;
  /** Runs the operation as the caller. Returns the answer in the form of the tool's `outputSchema`. */
  run(context: AdmittedContext): Promise<Record<string, unknown>>;
}

/** Validates the arguments of a tool call, which can be any JSON. Throws an AppError that names the fault. */
export function prepareCall(tool: Tool, given: unknown): ToolCall {
  const input = readArguments(tool, given);
  const variables = tool.variables(input);
  return {
    variables,
    cost: tool.prepared.costOf(variables),
    async run(context) {
      // Read before the data, so the data includes at least the changes up to this entry.
      const head = await findOwnHead(context.access.tenant);
      const result = await tool.prepared.run(context, variables, input);
      return { ...cleanStrings(tool.reshape(result)), as_of: { seq: head?.seq ?? null } };
    },
  };
}

/** Reads the arguments of a tool. Throws VALIDATION_FAILED naming the first invalid ones. */
function readArguments({ shape }: Tool, given: unknown): unknown {
  // Clients that must fill in every property send null for omitted ones.
  const body = Object.fromEntries(Object.entries(given ?? {}).filter(([, value]) => value !== null));
  const { data, error } = shape.safeParse({ body });
  if (data) return data.body;
  const { message, ...details } = nameProblems(listProblems(shape, { body }, error.issues));
  throw new AppError("VALIDATION_FAILED", message, details);
}
