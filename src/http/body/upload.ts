import type { IncomingMessage } from "node:http";
import { PassThrough, type Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Busboy, type BusboyHeaders } from "@fastify/busboy";
import { AppError } from "../../errors.js";

/** A file in the body of a request. */
export interface UploadedFile {
  /** File name sent by the client; null without one. */
  readonly name: string | null;
  /**
   * Content as it arrives. It can be read once. Rejects with BAD_REQUEST if it is cut off or the form is malformed, and
   * with status 413 if the body is too large.
   */
  readonly chunks: AsyncIterable<Buffer>;
}

/**
 * Opens the file in a request's body. The body is either of a type such as `text/csv`, or a form with one field,
 * `file`. Rejects with status 415 for another type or encoding, 400 for a malformed form or another field, and 413 if
 * the declared length exceeds `maxBytes`. `signal` stops the read.
 */
export async function openUpload(
  incoming: IncomingMessage,
  type: string,
  { maxBytes, signal }: { maxBytes: number; signal: AbortSignal },
): Promise<UploadedFile> {
  const { headers } = incoming;
  if (Number(headers["content-length"] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const given = headers["content-type"] ?? "";
  const isForm = /^multipart\/form-data *(;|$)/i.test(given);
  const isFile = new RegExp(`^${type} *(?:; *charset="?utf-8"?)?$`, "i").test(given);
  if (headers["content-encoding"] !== undefined || !(isForm || isFile)) {
    const message = `Unsupported body: expected ${type} in UTF-8, or multipart/form-data with the field file, not compressed.`;
    throw new AppError("BAD_REQUEST", message, { status: 415 });
  }
  const body = readBody(incoming, maxBytes, signal);
  return isForm ? openForm(body, headers as BusboyHeaders) : { name: null, chunks: body };
}

/** Reads a body. If the reader stops early, the connection stays open, so that the client gets its response. */
async function* readBody(
  incoming: IncomingMessage,
  maxBytes: number,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  // Node never ends a body whose request it has refused, and does not keep the connection of a partly read one.
  const body = incoming.pipe(new PassThrough({ signal }));
  incoming.once("error", () => body.destroy(new AppError("BAD_REQUEST", "The file was cut off.")));
  let length = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > maxBytes) throw tooLarge(maxBytes);
      yield chunk;
    }
  } catch (error) {
    // After an abort, the stream's own error is only a consequence.
    signal.throwIfAborted();
    throw error;
  }
}

/** Opens the field `file` of a form. The form may have no other field. */
async function openForm(body: AsyncIterable<Buffer>, headers: BusboyHeaders): Promise<UploadedFile> {
  const form = createForm(headers);
  const fed = pipeline(body, form).catch((error: unknown) => {
    throw error instanceof AppError ? error : malformed((error as Error).message);
  });
  const refuse = (name: string) =>
    form.destroy(malformed(`expected one field, file, got ${JSON.stringify(name.slice(0, 60))}`));
  form.on("field", refuse);
  form.on("filesLimit", () => refuse("file"));
  const found = new Promise<[file: Readable, name: string]>((resolve, reject) => {
    form.on("file", (field, file, name) => {
      if (field === "file") resolve([file, name]);
      else refuse(field);
    });
    fed.then(() => reject(malformed("expected the field file, got none")), reject);
  });
  const [file, name] = await found;
  fed.catch((error: Error) => file.destroy(error));
  // An error may occur while nobody is reading the file.
  file.on("error", () => undefined);
  async function* readFile(): AsyncGenerator<Buffer> {
    try {
      yield* file as AsyncIterable<Buffer>;
      await fed;
    } catch (error) {
      throw error instanceof AppError ? error : malformed((error as Error).message);
    } finally {
      form.destroy();
    }
  }
  return { name: name || null, chunks: readFile() };
}

function createForm(headers: BusboyHeaders) {
  try {
    return new Busboy({ headers, limits: { files: 1, fields: 1, fieldSize: 1_024, headerPairs: 100 } });
  } catch (error) {
    throw malformed((error as Error).message);
  }
}

const malformed = (what: string) => new AppError("BAD_REQUEST", `The form cannot be read: ${what}.`);

const tooLarge = (maxBytes: number) =>
  new AppError("BAD_REQUEST", `The file is too large: expected at most ${maxBytes} bytes.`, { status: 413 });
