import { hash } from "node:crypto";

/**
 * Returns what ties the parts of a cursor to its list, to catch mistakes. It protects nothing: the tenant's reader keeps
 * tenants apart.
 */
export type Seal = (parts: readonly unknown[]) => readonly unknown[];

/** Writes the parts of a cursor, sealed. */
export function writeCursor(parts: readonly unknown[], seal: Seal): string {
  const digest = hash("sha256", JSON.stringify(seal(parts)), "base64url").slice(0, 16);
  return Buffer.from(JSON.stringify([digest, ...parts])).toString("base64url");
}

/** Reads the parts of a cursor; undefined unless it was written with this seal. A client can write parts of any type. */
export function readCursor(cursor: string, seal: Seal): readonly unknown[] | undefined {
  const parts = parse(cursor);
  // Compares the text, because different base64 texts can decode to the same bytes.
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
