import { randomUUID } from "node:crypto";
import { seal } from "../../access/secrets/sealing.js";
import { generateWebhookSecret } from "../../access/secrets/webhook-secret.js";
import { write } from "../../data/database/transaction.js";
import { findEventHead } from "../../data/events/events.js";
import { lockOrganizationRow } from "../../data/organizations/lock-row.js";
import type { EndpointRow } from "../../data/webhooks/endpoints.js";
import {
  countLockedEndpoints,
  deleteEndpoint,
  disableEndpoint,
  enableEndpoint,
  insertEndpoint,
  replaceSecret,
  resumeEndpoint,
  updateEndpoint,
} from "../../data/webhooks/write-endpoints.js";
import { TEXT_LIMITS } from "../../domain/texts/text-limits.js";
import { MAX_ENDPOINTS } from "../../domain/webhooks/endpoint-health.js";
import { ActionError, InvalidInput, requireVersion } from "../action-error.js";
import { type ActorContext, requireConfirmedAndRecent } from "../actor-context.js";
import { changesNothing } from "../idempotency.js";
import { requireOverlap } from "../keys/key-checks.js";
import { readOptional } from "../read-text.js";
import { isWider, readTypes, readUrl, requireEndpoint } from "./endpoint-checks.js";

/** The settings of a new endpoint. */
export interface EndpointRequest extends Pick<EndpointRow, "url" | "types" | "format"> {
  readonly description?: string | null | undefined;
  readonly isEnabled: boolean;
}

/** An endpoint's id, with the new secret, which cannot be read again. */
export interface WithSecret {
  readonly id: string;
  readonly secret: string;
}

/**
 * Creates an endpoint, which receives events from now on. Throws InvalidInput, CONFLICT if the organization has the
 * maximum number of endpoints, and for a user EMAIL_NOT_CONFIRMED and REAUTHENTICATION_REQUIRED.
 */
export async function createEndpoint(caller: ActorContext, request: EndpointRequest): Promise<WithSecret> {
  const { resources, tenant, principal, writer, now } = caller;
  const { format, isEnabled } = request;
  const types = readTypes(request.types, principal.scopes);
  const description = readOptional("webhook", "description", request.description, TEXT_LIMITS.name);
  requireConfirmedAndRecent(caller);
  const url = await readUrl(caller, request.url);
  const { organizationId } = writer;
  const place = await findEventHead(tenant);
  const [id, secret] = [randomUUID(), generateWebhookSecret()];
  const settings = { url, types, description, format, isEnabled, createdBy: writer.actor.id };
  const sealed = seal(secret, resources.pepper);
  await write(resources.database, writer, async (sql) => {
    await lockOrganizationRow(sql, organizationId);
    if ((await countLockedEndpoints(sql, organizationId)) >= MAX_ENDPOINTS) {
      const message = `The organization already has ${MAX_ENDPOINTS} webhook endpoints, the maximum. Delete one first.`;
      throw new ActionError("CONFLICT", "webhook", message);
    }
    await insertEndpoint(sql, { ...settings, id, organizationId, secret: sealed, place, now });
  });
  return { id, secret };
}

/** Changes to an endpoint. Undefined and null leave a value unchanged, except that null removes the description. */
export interface EndpointChanges {
  readonly url?: string | null | undefined;
  readonly types?: readonly string[] | null | undefined;
  readonly description?: string | null | undefined;
  readonly format?: EndpointRow["format"] | null | undefined;
  readonly isEnabled?: boolean | null | undefined;
  /** `now` skips the events from before it is enabled. */
  readonly from?: "now" | null | undefined;
}

/**
 * Changes an endpoint. Enabling it again continues after the last queued event or, with `from: "now"`, with the next
 * new one. Throws InvalidInput, NOT_FOUND, CONFLICT for an unexpected version, and, if a user sends a URL or adds
 * events, EMAIL_NOT_CONFIRMED and REAUTHENTICATION_REQUIRED.
 */
export async function changeEndpoint(
  caller: ActorContext,
  id: string,
  { url, types, description, format, isEnabled, from }: EndpointChanges,
  expectedVersion: number | null | undefined,
): Promise<void> {
  const { resources, tenant, principal, writer, now } = caller;
  if (from && isEnabled !== true)
    throw new InvalidInput("webhook", "from", "is only allowed when an endpoint is enabled");
  if (url != null) requireConfirmedAndRecent(caller);
  const settings = {
    ...(url != null && { url: await readUrl(caller, url) }),
    ...(types != null && { types: readTypes(types, principal.scopes) }),
    ...(description !== undefined && {
      description: readOptional("webhook", "description", description, TEXT_LIMITS.name),
    }),
    ...(format != null && { format }),
  };
  const skipTo = from ? await findEventHead(tenant) : null;
  await write(resources.database, writer, async (sql) => {
    const existing = await requireEndpoint(sql, caller, id);
    // A caller who chooses the receiver of events must be allowed to read them.
    if (url != null) readTypes(settings.types ?? existing.types, principal.scopes);
    if (isWider(settings.types ?? [], existing.types)) requireConfirmedAndRecent(caller);
    const isSame = changesNothing(existing, settings);
    const isToggled = isEnabled != null && (isEnabled !== (existing.disabledAt === null) || skipTo !== null);
    if (isSame && !isToggled) return;
    requireVersion("webhook", existing.version, expectedVersion);
    if (!isSame) await updateEndpoint(sql, id, { ...existing, ...settings });
    if (isToggled) {
      if (isEnabled) await enableEndpoint(sql, id, skipTo, now);
      else await disableEndpoint(sql, id, "request", now);
    } else if (existing.disabledAt === null && (settings.url ?? existing.url) !== existing.url) {
      await resumeEndpoint(sql, id, null, now);
    }
  });
}

/**
 * Replaces the secret of an endpoint. For `overlapHours`, requests are also signed with the old one. Throws
 * InvalidInput for an overlap that is not offered or events that the caller may not read, NOT_FOUND, CONFLICT, and for
 * a user EMAIL_NOT_CONFIRMED and REAUTHENTICATION_REQUIRED.
 */
export async function rotateSecret(
  caller: ActorContext,
  id: string,
  overlapHours: number,
  expectedVersion: number | null | undefined,
): Promise<WithSecret> {
  const { resources, principal, writer, now } = caller;
  requireOverlap("webhook", overlapHours);
  requireConfirmedAndRecent(caller);
  const secret = generateWebhookSecret();
  const previousUntil = overlapHours === 0 ? null : new Date(now.getTime() + overlapHours * 3_600_000);
  await write(
    resources.database,
    writer,
    async (sql) => {
      const { types, version } = await requireEndpoint(sql, caller, id);
      // A caller who gets the secret must be allowed to read the events.
      readTypes(types, principal.scopes);
      requireVersion("webhook", version, expectedVersion);
      await replaceSecret(sql, id, seal(secret, resources.pepper), previousUntil);
    },
    "webhook_endpoint.rotated",
  );
  return { id, secret };
}

/**
 * Deletes an endpoint; its deliveries can no longer be read. Throws NOT_FOUND, and CONFLICT for an unexpected version.
 */
export async function removeEndpoint(
  caller: ActorContext,
  id: string,
  expectedVersion: number | null | undefined,
): Promise<void> {
  await write(caller.resources.database, caller.writer, async (sql) => {
    const { version } = await requireEndpoint(sql, caller, id);
    requireVersion("webhook", version, expectedVersion);
    await deleteEndpoint(sql, id);
  });
}
