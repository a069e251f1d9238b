import type { IncomingMessage, ServerResponse } from "node:http";
import express, { type Request, type RequestHandler, type Response } from "express";
import { parse } from "lossless-json";
import { maskSecrets } from "../../domain/keys/secrets.js";
import { describePosition } from "../../domain/texts/position.js";
import { AppError } from "../../errors.js";
import { noteBody } from "./digest.js";
import { requireBounded } from "./json-limits.js";

const createParser = (limit: string, types = ["application/json", "application/merge-patch+json"]) =>
  express.json({
    limit,
    type: types,
    verify(incoming, _response, bytes, charset) {
      if (charset !== "utf-8") {
        throw new AppError("BAD_REQUEST", "Unsupported charset: expected UTF-8.", { status: 415 });
      }
      requireBounded(bytes);
      noteBody(incoming as IncomingMessage, bytes);
    },
  });

/** Parsers of JSON bodies, by maximum size. The larger size fits 500 records with the longest strings. */
const PARSERS = { "256kb": createParser("256kb"), "2mb": createParser("2mb") };
export type BodyLimit = keyof typeof PARSERS;

/** Fits 100 operations on a user, or 1,000 members of a group. */
const SCIM_PARSER = createParser("1mb", ["application/scim+json", "application/json"]);

/**
 * Reads a request's JSON body: an object or an array; undefined without a body, or if its type is not JSON. Rejects
 * with status 400, 413 or 415 if it is malformed, exceeds JSON_LIMITS or the size limit, or has an unknown encoding.
 */
export function readJson(
  incoming: IncomingMessage,
  response: ServerResponse,
  limit: BodyLimit = "256kb",
): Promise<unknown> {
  return parseWith(PARSERS[limit], incoming, response);
}

/** Reads the body of a SCIM request, like `readJson`. */
export const readScimJson = (incoming: IncomingMessage, response: ServerResponse): Promise<unknown> =>
  parseWith(SCIM_PARSER, incoming, response);

function parseWith(
  parse: RequestHandler,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    parse(incoming as Request, response as Response, (error: unknown) => {
      if (error) reject(describeFault(error));
      else resolve((incoming as Request).body);
    });
  });
}

/** Creates the error for a body that is not JSON by its type. */
export function notJson({ headers }: IncomingMessage): AppError {
  const { "content-type": type = "none" } = headers;
  const message = `Unsupported content type: expected application/json, got ${maskSecrets(type.slice(0, 60))}.`;
  return new AppError("BAD_REQUEST", message, { status: 415 });
}

/** Describes the fault in an error about malformed JSON. Returns any other error unchanged. */
function describeFault(error: unknown): unknown {
  const { type, body } = error as { readonly type?: unknown; readonly body?: unknown };
  if (type !== "entity.parse.failed" || typeof body !== "string") return error;
  return new AppError("BAD_REQUEST", maskSecrets(`body: ${findFault(body)}`), { cause: error });
}

/**
 * Describes the fault, with its position if known. Parses the text again, because the messages of JSON.parse differ
 * between versions of Node, and some lack a position.
 */
function findFault(text: string): string {
  try {
    parse(text, null, { onDuplicateKey: ({ oldValue }) => oldValue });
  } catch (fault) {
    const [, what = "", position] = /^(.*) at position (\d+)$/s.exec((fault as Error).message) ?? [];
    if (position === undefined) return "malformed JSON";
    const reason = what.charAt(0).toLowerCase() + what.slice(1);
    return `malformed JSON at ${describePosition(text, Number(position))}: ${JSON.stringify(reason).slice(1, -1).replaceAll('\\"', '"')}`;
  }
  return "expected a JSON object or list, got another value";
}
