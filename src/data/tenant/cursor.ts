import { hash } from "node:crypto";

/**
 * Returns the values to digest into a cursor, which tie it to its list. This catches mistakes but is no protection: the
 * tenant's reader keeps tenants apart.
 */
export type Seal = (parts: readonly unknown[]) => readonly unknown[];

/** Encodes the parts of a cursor, with a digest. */
export function writeCursor(parts: readonly unknown[], seal: Seal): string {
  const digest = hash("sha256", JSON.stringify(seal(parts)), "base64url").slice(0, 16);
  return Buffer.from(JSON.stringify([digest, ...parts])).toString("base64url");
}

/** Decodes a cursor; undefined unless its digest matches. Clients can forge one, so the parts may have any type. */
export function readCursor(cursor: string, seal: Seal): readonly unknown[] | undefined {
  const parts = parse(cursor);
  // Compares the encoded text, because different base64 strings can decode to the same bytes.
  return parts && writeCursor(parts, seal) === cursor ? parts : undefined;
}

function parse(cursor: string): unknown[] | undefined {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
    return Array.isArray(parts) ? parts.slice(1) : undefined;
  } catch {
    return undefined;
  }
}
