import { type CbamImportInput, graphql } from "../../../../generated/console.js";
import { GatewayFailure, type Problem } from "../../../gateway/failure.js";
import { run } from "../../../gateway/run.js";

const OPERATION = graphql(`
  mutation ConsoleAddCbamImports($declaration: UUID!, $imports: [CbamImportInput!]!) {
    addCbamImports(input: { declarationId: $declaration, imports: $imports }) { declaration { id year } }
  }
`);

/** Adds imports to a declaration, all or none. A failure's problems name rows and columns as in an import file. */
export async function addImports(declaration: string, imports: readonly CbamImportInput[]): Promise<void> {
  try {
    await run(OPERATION, { declaration, imports: [...imports] });
  } catch (failure) {
    if (!(failure instanceof GatewayFailure)) throw failure;
    throw new GatewayFailure(failure.code, failure.message, { problems: failure.problems.map(nameRow) });
  }
}

function nameRow({ path, message }: Problem): Problem {
  const [, index, field = ""] = /^imports\[(\d+)\]\.(?:goods\.)?(.*)$/.exec(path) ?? [];
  if (index === undefined) return { path, message };
  const column = field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return { path, message: `Row ${Number(index) + 1}: ${column}${message.slice(message.indexOf(" "))}` };
}
