import type { GraphQLSchema } from "graphql";
import { readOperatorTools } from "../catalogue/tools/operator-documents.js";
import { createTools, type Tool } from "../catalogue/tools/tool.js";
import type { Config } from "../config.js";
import { OPERATIONS } from "../generated/catalogue.js";
import { scopesOfDocument } from "../graphql/schema/document-scopes.js";

type Tools = ReadonlyMap<string, Tool>;

/**
 * Reads the built-in tools, the operator's, and both together. An operator's tool replaces a built-in one with the same
 * name.
 */
export async function readTools(
  { mcpDocuments }: Pick<Config, "mcpDocuments">,
  schema: GraphQLSchema,
): Promise<{ readonly shipped: Tools; readonly own: Tools; readonly tools: Tools }> {
  const shipped = createTools(schema, OPERATIONS, scopesOfDocument);
  const own = await readOperatorTools(mcpDocuments, schema, scopesOfDocument);
  return { shipped, own, tools: new Map([...shipped, ...own]) };
}
