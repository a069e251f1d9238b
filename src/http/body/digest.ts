import { createHash, hash } from "node:crypto";
import type { IncomingMessage } from "node:http";

const digests = new WeakMap<IncomingMessage, Buffer>();

/** Returns the values of `Idempotency-Key`; undefined without the header. */
export const idempotencyKeysOf = (incoming: IncomingMessage): string[] | undefined =>
  // Collecting all values of every header takes longer than one lookup.
  incoming.headers["idempotency-key"] === undefined ? undefined : incoming.headersDistinct["idempotency-key"];

/** Records the SHA-256 of a body if its request has an idempotency key. */
export function noteBody(incoming: IncomingMessage, bytes: Buffer): void {
  if (idempotencyKeysOf(incoming)) digests.set(incoming, hash("sha256", bytes, "buffer"));
}

/** Yields the chunks of an uploaded file. After the last one, records the SHA-256 of its name and content. */
export async function* noteFile(
  incoming: IncomingMessage,
  name: string | null,
  chunks: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  const digest = createHash("sha256").update(`${name ?? ""}\0`);
  for await (const chunk of chunks) {
    digest.update(chunk);
    yield chunk;
  }
  digests.set(incoming, digest.digest());
}

/**
 * Returns the recorded SHA-256; undefined without an idempotency key or a body, or until the body has been read
 * completely.
 */
export const bodyDigestOf = (incoming: IncomingMessage): Buffer | undefined => digests.get(incoming);
