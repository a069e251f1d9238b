import { hash } from "node:crypto";
import { type Context, requireAccess } from "../../access/context.js";

/**
 * An identifier for what has none in the database, so that caches of clients can tell objects apart: the same for the
 * same organization, type and `parts` (any JSON), and another for all others.
 */
export function objectId(context: Context, type: string, ...parts: readonly unknown[]): string {
  const { id } = requireAccess(context).principal.organization;
  return hash("sha256", JSON.stringify([id, type, ...parts]), "base64url").slice(0, 27);
}
