import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { extendSchema, GraphQLError, type GraphQLSchema, Kind, parse, validate } from "graphql";
import { OperatorError } from "../../errors.js";
import { DIRECTIVES } from "../directives.js";
import type { ScopesOf } from "../prepare.js";
import { readOperations } from "../read.js";
import { createTools, requireUsable, type Tool, toolNameOf } from "./tool.js";

/** Maximum number of an operator's documents. */
const MAX_DOCUMENTS = 50;

/**
 * Reads an operator's tools: the `.graphql` files of a folder, which can share fragments. Returns none without a
 * folder. Throws OperatorError if the folder or a file cannot be read, if there are too many files, and for a document
 * that cannot be a tool, with the reason and, if known, the file and the line.
 */
export async function readOperatorTools(
  folder: string | undefined,
  schema: GraphQLSchema,
  scopesOf: ScopesOf,
): Promise<ReadonlyMap<string, Tool>> {
  if (folder === undefined) return new Map();
  const files = await readdir(folder).catch((error: Error) => {
    throw new OperatorError(`MCP_DOCUMENTS (${folder}) cannot be read: ${error.message}`);
  });
  const names = files.filter((file) => file.endsWith(".graphql")).toSorted();
  if (names.length > MAX_DOCUMENTS) {
    throw new OperatorError(
      `MCP_DOCUMENTS (${folder}) can have at most ${MAX_DOCUMENTS} files, got ${names.length}.`,
    );
  }
  const annotated = extendSchema(schema, parse(DIRECTIVES));
  const documents = await Promise.all(
    names.map(async (file) => {
      const text = await readFile(join(folder, file), "utf8").catch((error: Error) => {
        throw new OperatorError(`MCP_DOCUMENTS: ${file}: ${error.message}`);
      });
      return { file, text, document: inFile(file, () => parse(text)) };
    }),
  );
  const fragments = documents.flatMap(({ document }) =>
    document.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION),
  );
  for (const { file, document } of documents) {
    inFile(file, () => {
      const others = fragments.filter((fragment) => !document.definitions.includes(fragment));
      const whole = { kind: Kind.DOCUMENT, definitions: [...document.definitions, ...others] } as const;
      // Another file may use the fragments of this one.
      const [fault] = validate(annotated, whole).filter(
        ({ message }) => !/^Fragment .* is never used/.test(message),
      );
      if (fault) throw fault;
    });
  }
  const texts = Object.fromEntries(documents.map(({ file, text }) => [file, text]));
  const tools = inFile(folder, () => createTools(schema, texts, scopesOf));
  requireOneToolEach(texts);
  for (const tool of tools.values()) inFile(`${folder}: ${tool.id}`, () => requireUsable(tool));
  return tools;
}

/** Throws OperatorError if an operation is not a tool, or if two tools have the same name. */
function requireOneToolEach(texts: Readonly<Record<string, string>>): void {
  const files = new Map<string, string>();
  // For a file outside any folder, `area` is its name.
  for (const { name: id, area: file, tool } of readOperations(texts)) {
    inFile(file, () => {
      if (!tool) throw new Error(`${id} needs @tool`);
      const name = toolNameOf(id, tool);
      const other = files.get(name);
      if (other !== undefined) throw new Error(`${id}: ${other} already has a tool named ${name}`);
      files.set(name, file);
    });
  }
}

/** Runs a check. Throws OperatorError with the file, the line if known, and the message of its error. */
function inFile<Value>(file: string, check: () => Value): Value {
  try {
    return check();
  } catch (error) {
    const { message } = error as Error;
    const line = error instanceof GraphQLError ? error.locations?.[0]?.line : undefined;
    throw new OperatorError(
      `MCP_DOCUMENTS: ${file}${line === undefined ? "" : `, line ${line}`}: ${message}`,
    );
  }
}
