import type { ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { stringify as stringifyLossless } from "lossless-json";
import { z } from "zod";
import { sizeOfText } from "../../domain/texts/size-in-memory.js";
import { type AppError, ERROR_STATUS, type ErrorCode } from "../../errors.js";
import type { RequestInfo } from "../request-info.js";
import { sendCompressible, sendPlain } from "./compress.js";
import { activitiesShape, columnShape, describeQuestion, questionShape } from "./import-shapes.js";

/** `meta.version` in the contract. */
export const API_VERSION = "1.0";

const meta = z
  .object({
    request_id: z.guid().meta({ description: "Identifier for tracing; the same as in X-Request-Id." }),
    timestamp: z.iso.datetime().meta({ description: "Server time." }),
    version: z.literal(API_VERSION).meta({ description: "Version of the REST interface." }),
  })
  .meta({ id: "Meta", description: "Metadata of the response." });

/** The codes REST uses: all except BAD_USER_INPUT, which is about GraphQL arguments. */
const REST_CODES = (Object.keys(ERROR_STATUS) as ErrorCode[]).filter((code) => code !== "BAD_USER_INPUT");

const error = z
  .object({
    code: z.enum(REST_CODES).meta({ description: "For programs." }),
    message: z.string().meta({ description: "Message for people. The wording may change." }),
    details: z
      .array(
        z
          .object({
            path: z.string().meta({ description: "Path in the input, such as `organization.slug`." }),
            message: z.string().meta({ description: "Expected and actual input." }),
          })
          .meta({ id: "Problem" }),
      )
      .optional()
      .meta({ description: "Problems with the input, by path. Never under /ext/v1." }),
    columns: z.array(columnShape).optional().meta({
      description: "Columns of a file that cannot be imported. Only for `POST /{module}/import`.",
    }),
    questions: z.array(questionShape).optional().meta({
      description: "Warnings about likely errors. Only for CONFIRMATION_REQUIRED.",
    }),
    activities: activitiesShape.optional().meta({
      description: "Activities in a file that cannot be imported. Only for `POST /{module}/import`.",
    }),
  })
  .meta({ id: "Error", description: "Reason the request failed." });

const noError = z.null().meta({ description: "Null if the request succeeded." });
const noData = z.null().meta({ description: "Null if the request failed." });
const outcome = <Success extends boolean>(success: Success) =>
  z.literal(success).meta({ description: "True if the request succeeded." });

/** Returns the schema of a response with `data`. */
export const successEnvelope = <Data extends z.ZodType>(data: Data) =>
  z.object({ success: outcome(true), data, error: noError, meta });

/** Schema of a response with an error. */
export const errorEnvelope = z
  .object({ success: outcome(false), data: noData, error, meta })
  .meta({ id: "ErrorResponse" });

type Meta = z.infer<typeof meta>;
type RequestIdentity = Pick<RequestInfo, "id" | "now">;

const metaOf = ({ id, now }: RequestIdentity): Meta => ({
  request_id: id,
  timestamp: now.toISOString(),
  version: API_VERSION,
});

/** Returns the envelope of a failure as JSON. */
export function errorBody(
  request: RequestIdentity,
  {
    code,
    message,
    details,
    extensions,
  }: Pick<AppError, "code" | "message"> & Partial<Pick<AppError, "details" | "extensions">>,
): string {
  const { columns, activities, questions } = extensions ?? {};
  const error = {
    code,
    message,
    details,
    columns,
    activities,
    questions: (questions as readonly unknown[] | undefined)?.map(describeQuestion),
  };
  return JSON.stringify({ success: false, data: null, error, meta: metaOf(request) });
}

/** Serialized `data`: JSON, and its length in bytes. */
export interface SerializedData {
  readonly json: string;
  /**
   * The JSON as UTF-8, if it has characters beyond ASCII. Encoding it takes longer than everything else about a
   * cached response.
   */
  readonly utf8?: Buffer | undefined;
  readonly bytes: number;
  /** True if another cached answer shares the string. */
  readonly isShared: boolean;
  /** Version of the data's subject; undefined if it has no versions, and for several objects. */
  readonly version?: number | undefined;
  /** True if the data of a version never changes. */
  readonly isVersioned?: boolean;
}

/** Returns the memory that `data` takes, in bytes. */
export const sizeOfData = ({ json, utf8, isShared }: SerializedData): number =>
  isShared ? 0 : sizeOfText(json) + (utf8?.length ?? 0);

/** Serializes `data` as JSON. A bigint becomes a number with all its digits. */
export function serializeData(data: unknown): SerializedData {
  const json = toJson(data);
  const bytes = Buffer.byteLength(json);
  return { json, utf8: bytes === json.length ? undefined : Buffer.from(json), bytes, isShared: false };
}

function toJson(data: unknown): string {
  try {
    return JSON.stringify(data);
  } catch {
    // JSON.stringify throws for a bigint, which is rare. The lossless function takes several times as long.
    return stringifyLossless(data) as string;
  }
}

/** Headers of a response, in unmerged parts. */
export type Headers = readonly Readonly<Record<string, string>>[];

/** Returns the success envelope with `data`, as JSON. */
export const successBody = (request: RequestIdentity, { json }: SerializedData): string =>
  HEAD + json + tailOf(request);

const HEAD = '{"success":true,"data":';
const HEAD_BYTES = Buffer.from(HEAD);
const tailOf = (request: RequestIdentity) => `,"error":null,"meta":${JSON.stringify(metaOf(request))}}`;

/** Sends `data` in the envelope. Only `isCompressible` data may be compressed, see `sendCompressible`. */
export function sendData(
  response: ServerResponse,
  request: RequestIdentity,
  headers: Headers,
  { json, utf8, bytes }: SerializedData,
  { status = 200, isCompressible = false }: { status?: 200 | 201 | 202; isCompressible?: boolean } = {},
): void {
  const tail = tailOf(request);
  const send = isCompressible ? sendCompressible : sendPlain;
  const length = HEAD.length + bytes + tail.length;
  const body = utf8 ? Buffer.concat([HEAD_BYTES, utf8, Buffer.from(tail)], length) : HEAD + json + tail;
  send(response, status, listHeaders(["Content-Type", JSON_TYPE], headers), body, length);
}

export const JSON_TYPE = "application/json; charset=utf-8";

/** Sends a failure: status, headers and envelope. */
export function sendError(
  response: ServerResponse,
  request: RequestIdentity,
  headers: Headers,
  error: AppError,
): void {
  const body = errorBody(request, error);
  const list = listHeaders(["Content-Type", JSON_TYPE], [...headers, error.headers]);
  sendPlain(response, error.status, list, body, Buffer.byteLength(body));
}

/**
 * Sends chunks, such as lines of JSON, as fast as the client reads them. Stops when the client disconnects. If `chunks`
 * throws, rejects and cuts the connection, so that the client cannot mistake a part for the whole.
 */
export async function sendChunks(
  response: ServerResponse,
  headers: Headers,
  chunks: AsyncIterable<string | Buffer>,
): Promise<void> {
  // Not compressed: a compressor would hold back the first lines of a slow answer.
  response.writeHead(200, listHeaders([], headers));
  if (response.req.method === "HEAD") return void response.end();
  try {
    await pipeline(chunks, response);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_STREAM_PREMATURE_CLOSE") throw error;
  }
}

/** Appends headers to a list of names and values, which Node writes unchanged. Merging objects takes 4 µs. */
export function listHeaders(list: string[], headers: Headers): string[] {
  for (const part of headers) {
    for (const name in part) list.push(name, part[name] as string);
  }
  return list;
}
