import type { IncomingMessage } from "node:http";
import express, { type Request, type RequestHandler, type Response } from "express";
import { parse } from "lossless-json";
import { maskSecrets } from "../../domain/keys/secrets.js";
import { describePosition } from "../../domain/texts/position.js";
import { AppError } from "../../errors.js";
import { takeTurnOf } from "../../turns.js";
import type { IncomingCall } from "../incoming-call.js";
import { noteBody } from "./digest.js";
import { requireBounded } from "./json-limits.js";

const createReader = (limit: string, types = ["application/json", "application/merge-patch+json"]) =>
  express.raw({ limit, type: types });

/** Readers of JSON bodies, by maximum size. The larger size fits 500 records with the longest strings. */
const READERS = { "256kb": createReader("256kb"), "2mb": createReader("2mb") };
export type BodyLimit = keyof typeof READERS;

/** Fits 100 operations on a user, or 1,000 members of a group. */
const SCIM_READER = createReader("1mb", ["application/scim+json", "application/json"]);

/** The parts of a call that reading its body needs. */
export type BodyCall = Pick<IncomingCall, "incoming" | "response" | "request">;

/**
 * Reads a request's JSON body: an object or an array; undefined without a body, or if its type is not JSON. Rejects
 * with status 400, 413 or 415 if it is malformed, exceeds JSON_LIMITS or the size limit, or has an unknown encoding.
 */
export const readJson = (call: BodyCall, limit: BodyLimit = "256kb"): Promise<unknown> =>
  readWith(READERS[limit], call);

/** Reads the body of a SCIM request, like `readJson`. */
export const readScimJson = (call: BodyCall): Promise<unknown> => readWith(SCIM_READER, call);

/** Size in bytes of bodies that are parsed at once. A larger one waits for its caller's turn. */
const SMALL = 16_384;

async function readWith(read: RequestHandler, { incoming, response, request }: BodyCall): Promise<unknown> {
  await new Promise<void>((resolve, reject) => {
    read(incoming as Request, response as Response, (error: unknown) => (error ? reject(error) : resolve()));
  });
  const { body: bytes } = incoming as Request;
  if (!Buffer.isBuffer(bytes)) return undefined;
  const [, charset = "utf-8"] =
    /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(incoming.headers["content-type"] ?? "") ?? [];
  if (charset.toLowerCase() !== "utf-8")
    throw new AppError("BAD_REQUEST", "Unsupported charset: expected UTF-8.", { status: 415 });
  if (bytes.length > SMALL) await takeTurnOf(request);
  requireBounded(bytes);
  noteBody(incoming, bytes);
  return bytes.length === 0 ? {} : parseJson(new TextDecoder().decode(bytes));
}

/** Parses JSON. Throws BAD_REQUEST if it is malformed, or neither an object nor a list. */
function parseJson(text: string): unknown {
  const refuse = (fault: string, cause?: unknown) =>
    new AppError("BAD_REQUEST", maskSecrets(`body: ${fault}`), { cause });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw refuse(findFault(text, error as Error), error);
  }
  if (typeof value === "object" && value !== null) return value;
  throw refuse("expected a JSON object or list, got another value");
}

/** Creates the error for a body that is not JSON by its type. */
export function notJson({ headers }: IncomingMessage): AppError {
  const { "content-type": type = "none" } = headers;
  const message = `Unsupported content type: expected application/json, got ${maskSecrets(type.slice(0, 60))}.`;
  return new AppError("BAD_REQUEST", message, { status: 415 });
}

/**
 * Describes why text is not JSON, with the position if known. Parses a short text again, because the messages of
 * JSON.parse differ between versions of Node, and some lack a position. For a long one that would block other requests.
 */
function findFault(text: string, { message }: Error): string {
  const at = (position: string) => `malformed JSON at ${describePosition(text, Number(position))}`;
  const [, found] = / at position (\d+)/.exec(message) ?? [];
  if (text.length > SMALL) return found === undefined ? "malformed JSON" : at(found);
  try {
    parse(text, null, { onDuplicateKey: ({ oldValue }) => oldValue });
  } catch (fault) {
    const [, what = "", position] = /^(.*) at position (\d+)$/s.exec((fault as Error).message) ?? [];
    if (position === undefined) return "malformed JSON";
    const reason = what.charAt(0).toLowerCase() + what.slice(1);
    return `${at(position)}: ${JSON.stringify(reason).slice(1, -1).replaceAll('\\"', '"')}`;
  }
  return "malformed JSON";
}
