import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { HTTPGraphQLRequest } from "@apollo/server";
import { type GraphQLSchema, parse, validate } from "graphql";
import { z } from "zod";
import { isObject } from "../../domain/is-object.js";
import { AppError, OperatorError } from "../../errors.js";
import { partOf } from "./http.js";

/** Texts of operations by their ids. */
export type TrustedDocuments = ReadonlyMap<string, string>;

/** Returns the texts, each under two ids: its name, and its SHA-256 in hexadecimal. */
export const identify = (texts: Readonly<Record<string, string>>): TrustedDocuments =>
  new Map(
    Object.entries(texts).flatMap(([name, text]) => [
      [name, text],
      [hash("sha256", text), text],
    ]),
  );

/**
 * Reads a file of trusted documents, a JSON object as written by client tools. Returns none without a file. Throws
 * OperatorError if the file cannot be read or has another format, or if a document does not fit the schema.
 */
export async function readTrustedDocuments(
  file: string | undefined,
  schema: GraphQLSchema,
): Promise<TrustedDocuments> {
  if (file === undefined) return new Map();
  let json: unknown;
  try {
    json = JSON.parse(await readFile(file, "utf8"));
  } catch (error) {
    throw new OperatorError(
      `GRAPHQL_TRUSTED_DOCUMENTS (${file}) cannot be read: ${(error as Error).message}`,
    );
  }
  const documents = z.record(z.string(), z.string()).safeParse(json);
  if (!documents.success) {
    throw new OperatorError(
      `GRAPHQL_TRUSTED_DOCUMENTS (${file}) must be one JSON object that maps ids to the texts of operations.`,
    );
  }
  for (const [id, text] of Object.entries(documents.data)) {
    const problem = findProblem(schema, text);
    if (problem) throw new OperatorError(`The trusted document ${id} does not fit the schema: ${problem}`);
  }
  return new Map(Object.entries(documents.data));
}

function findProblem(schema: GraphQLSchema, text: string): string | undefined {
  try {
    return validate(schema, parse(text))[0]?.message;
  } catch (error) {
    return (error as Error).message;
  }
}

interface OperationBody {
  query?: unknown;
  documentId?: unknown;
  extensions?: { persistedQuery?: { sha256Hash?: unknown } };
}

/**
 * Creates the function that replaces the id of a trusted document with its text. The id is `documentId` in the body, or
 * `extensions.persistedQuery.sha256Hash`, as Apollo Client sends it. The function throws BAD_REQUEST for an unknown
 * `documentId` and, with `only`, for any other text.
 */
export function createTrust(documents: TrustedDocuments, only: boolean) {
  const texts = new Set(documents.values());
  return (operation: HTTPGraphQLRequest): void => {
    const isSent = operation.method === "POST" && isObject(operation.body);
    const body = (isSent ? operation.body : {}) as OperationBody;
    const id = body.documentId ?? body.extensions?.persistedQuery?.sha256Hash;
    if (typeof id === "string" && documents.has(id)) {
      body.query = documents.get(id);
      delete body.documentId;
      delete body.extensions?.persistedQuery;
    } else if (body.documentId !== undefined) {
      throw new AppError("BAD_REQUEST", "Unknown documentId: no trusted document has it.");
    }
    const text = partOf(operation, "query");
    if (only && text != null && !texts.has(String(text))) {
      throw new AppError("BAD_REQUEST", "Only trusted documents are served. Send the documentId of one.");
    }
  };
}
