import { hash } from "node:crypto";
import { type Context, requireAccess } from "../../access/context.js";

/**
 * Returns an identifier for an object without one in the database, so that clients' caches can tell objects apart. It
 * depends on the organization, the type and `parts`, which can be any JSON: equal values have the same identifier, and
 * different values have different ones.
 */
export function objectId(context: Context, type: string, ...parts: readonly unknown[]): string {
  const { id } = requireAccess(context).principal.organization;
  return hash("sha256", JSON.stringify([id, type, ...parts]), "base64url").slice(0, 27);
}
