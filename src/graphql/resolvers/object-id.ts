import { hash } from "node:crypto";
import { type Context, requireAccess } from "../../access/context.js";

/**
 * Returns an identifier for an object that has none in the database, so that clients' caches can tell objects apart.
 * The same organization, type and `parts` (any JSON) always give the same identifier, and different ones a different
 * identifier.
 */
export function objectId(context: Context, type: string, ...parts: readonly unknown[]): string {
  const { id } = requireAccess(context).principal.organization;
  return hash("sha256", JSON.stringify([id, type, ...parts]), "base64url").slice(0, 27);
}
