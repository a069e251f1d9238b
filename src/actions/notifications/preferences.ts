import type { Resources } from "../../access/context.js";
import { requireOwnProofIfPossible } from "../../access/principal.js";
import { seal } from "../../access/secrets/sealing.js";
import { generateWebhookSecret } from "../../access/secrets/webhook-secret.js";
import { write } from "../../data/database/transaction.js";
import type { SqlSession } from "../../data/database/types.js";
import { resumeUserWebhook } from "../../data/notifications/delivery-turns.js";
import {
  lockPreferences,
  type PreferencesRow,
  updatePreferences,
} from "../../data/notifications/preferences.js";
import { listUnconfirmed } from "../../data/people/mail-links.js";
import {
  type ChangedSettings,
  completeSettings,
  type NotificationSettings,
} from "../../domain/notifications/notification-settings.js";
import { type PatchFault, patchSettings } from "../../domain/notifications/patch-settings.js";
import { hideCredentials } from "../../domain/texts/web-link.js";
import type { Problem } from "../../errors.js";
import { ActionError, joinMessages, requireVersion } from "../action-error.js";
import { type PersonContext, requireConfirmedAddress, requireRecent } from "../actor-context.js";
import { changesNothing } from "../idempotency.js";
import { mailNewLink } from "./mailed-links.js";

/** A user's notification preferences. */
export interface Preferences {
  readonly settings: NotificationSettings;
  readonly version: number;
  /** The secret that signs the webhook's requests, if it was just created. It cannot be read again. */
  readonly webhookSecret: string | null;
}

/** Describes the preferences of a row, with the reason if e-mails cannot be delivered. */
export function describePreferences(
  { outbound }: Pick<Resources, "outbound">,
  { changed, version, isConfirmed }: Omit<PreferencesRow, "webhookSecret">,
  webhookSecret: string | null = null,
): Preferences {
  const { channels, ...others } = completeSettings(changed);
  const reason =
    outbound.mailer === null ? "mail_not_configured" : isConfirmed ? null : "address_not_confirmed";
  const email = { ...channels.email, deliverable: reason === null, reason };
  return { settings: { channels: { ...channels, email }, ...others }, version, webhookSecret };
}

/**
 * Changes the user's preferences by a JSON merge patch. Setting a webhook's URL, even to its current value, creates a
 * new secret. Throws ActionError for all faults of the patch, and if the version is not the expected one. Throws
 * EMAIL_NOT_CONFIRMED for a different address from a user whose own address is not confirmed. Throws
 * REAUTHENTICATION_REQUIRED for a different address and for a webhook's URL, unless the user authenticated recently.
 */
export async function changePreferences(
  caller: PersonContext,
  patch: unknown,
  expectedVersion: number | null | undefined,
): Promise<Preferences> {
  const { resources, person, writer, now } = caller;
  const { url } = completeSettings(patchSettings({}, patch).changed).channels.webhook;
  if (url !== null) requireRecentOwnProof(caller);
  // Resolving the host name takes time, so it happens before anything is locked.
  const urlFault = url === null ? undefined : await resources.outbound.webhooks.findFault(url);
  let isNewUrl = false;
  const preferences = await write(resources.database, writer, async (sql) => {
    const existing = await lockPreferences(sql, person.user.id);
    const { changed, faults } = patchSettings(existing.changed, patch);
    const problems = faults.map(describeFault);
    if (urlFault) problems.push({ path: "channels.webhook.url", message: urlFault });
    refuseProblems(problems);
    const addressOf = (one: ChangedSettings) => completeSettings(one).channels.email.address;
    const address = addressOf(changed);
    // The link that confirms it may go to a stranger.
    if (address !== null && address !== addressOf(existing.changed)) {
      requireConfirmedAddress(caller);
      requireRecentOwnProof(caller);
    }
    if (url === null && changesNothing(existing, { changed })) {
      await confirmAddress(caller, sql, changed);
      return describePreferences(resources, existing);
    }
    requireVersion("preferences", existing.version, expectedVersion);
    const secret = url === null ? null : generateWebhookSecret();
    const hasUrl = completeSettings(changed).channels.webhook.url !== null;
    const kept = hasUrl ? existing.webhookSecret : null;
    const webhookSecret = secret === null ? kept : seal(secret, resources.pepper);
    await updatePreferences(sql, person.user.id, { changed, webhookSecret });
    await confirmAddress(caller, sql, changed);
    isNewUrl = url !== null && url !== completeSettings(existing.changed).channels.webhook.url;
    return describePreferences(resources, await lockPreferences(sql, person.user.id), secret);
  });
  // Pauses of the previous receiver do not apply to the new one. Users' transactions may not change delivery turns.
  if (isNewUrl)
    await write(resources.database, "serve", (sql) => resumeUserWebhook(sql, person.user.id, now));
  return preferences;
}

/** Protects settings by which somebody else could receive the notifications of all the user's organizations. */
function requireRecentOwnProof(caller: PersonContext): void {
  const { person, now } = caller;
  requireRecent(caller);
  requireOwnProofIfPossible({ ...person.session, user: person }, now);
}

/** Sends a link to the address for notifications if it is not confirmed. */
async function confirmAddress(
  { resources, person, request, now }: PersonContext,
  sql: SqlSession,
  changed: ChangedSettings,
) {
  const { address } = completeSettings(changed).channels.email;
  const unconfirmed = await listUnconfirmed(sql, person.user.id);
  const link = unconfirmed.find(({ kind, email }) => kind === "notifications" && email === address);
  if (link === undefined) return;
  await mailNewLink(resources, sql, { ...link, userId: person.user.id, address: request.address(), now });
}

/** Maximum number of characters of a value in a message. */
const MAX_VALUE_LENGTH = 60;

function describeFault({ path, expectation, given }: PatchFault): Problem {
  const text = hideCredentials(JSON.stringify(given) ?? "nothing");
  const shown = Array.isArray(given) ? "a list" : typeof given === "object" ? "an object" : text;
  return {
    path,
    message: `${expectation}, got ${shown.length > MAX_VALUE_LENGTH ? "a longer value" : shown}`,
  };
}

function refuseProblems(problems: readonly Problem[]): void {
  if (problems.length === 0) return;
  const message = joinMessages(problems.map(({ path, message }) => `${path || "The patch"}: ${message}.`));
  throw new ActionError("VALIDATION_FAILED", "preferences", message, problems);
}
