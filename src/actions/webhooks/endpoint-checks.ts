import type { SqlSession } from "../../data/database/types.js";
import { type LockedEndpoint, lockEndpoint } from "../../data/webhooks/write-endpoints.js";
import { findEventTypes } from "../../domain/events/event-types.js";
import type { Scope } from "../../domain/scopes.js";
import { MAX_TYPES } from "../../domain/webhooks/endpoint-health.js";
import { InvalidInput, requireFound } from "../action-error.js";
import type { ActorContext } from "../actor-context.js";
import { readLink } from "../read-text.js";

/** Name of an endpoint in messages. */
const NAME = "webhook endpoint";

/** Returns a URL without surrounding spaces. Throws InvalidInput unless the gateway can call it now. */
export async function readUrl({ resources }: ActorContext, given: string): Promise<string> {
  const url = readLink("webhook", "url", given);
  const fault = await resources.outbound.webhooks.findFault(url);
  if (fault !== undefined) throw new InvalidInput("webhook", "url", fault);
  return url;
}

/**
 * Returns the distinct types of an endpoint. Throws InvalidInput for none or too many, for unknown ones, and for those
 * that need scopes other than the given ones.
 */
export function readTypes(types: readonly string[], scopes: readonly Scope[]): readonly string[] {
  const unique = [...new Set(types)];
  const refuse = (fault: string) => {
    throw new InvalidInput("webhook", "types", fault);
  };
  if (unique.length === 0 || unique.length > MAX_TYPES)
    refuse(`must have 1 to ${MAX_TYPES} types of events (got ${unique.length})`);
  for (const pattern of unique) {
    const found = findEventTypes(pattern);
    const given = pattern.length > 60 ? "a longer value" : JSON.stringify(pattern);
    if (found.length === 0)
      refuse(`must be types of events, such as facility.updated or facility.* (got ${given})`);
    const lacking = found.find(({ scope }) => !scopes.includes(scope));
    if (lacking) refuse(`must be types of events that you may read: ${given} needs ${lacking.scope}`);
  }
  return unique;
}

/** Returns true if the types include events that the current ones do not. */
export function isWider(types: readonly string[], current: readonly string[]): boolean {
  const known = new Set(current.flatMap(findEventTypes));
  return types.flatMap(findEventTypes).some((type) => !known.has(type));
}

/** Locks an endpoint of the caller's organization. Throws NOT_FOUND. */
export const requireEndpoint = async (
  sql: SqlSession,
  { writer, now }: ActorContext,
  id: string,
): Promise<LockedEndpoint> =>
  requireFound(await lockEndpoint(sql, writer.organizationId, id, now), "webhook", id, NAME);
