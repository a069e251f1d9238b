import type { Resources } from "../../access/context.js";
import { seal } from "../../access/sealing.js";
import { generateToken } from "../../access/token.js";
import { write } from "../../data/database/transaction.js";
import {
  lockPreferences,
  type PreferencesRow,
  updatePreferences,
} from "../../data/notifications/preferences.js";
import { type PatchFault, patchSettings } from "../../domain/notifications/patch.js";
import { completeSettings, type NotificationSettings } from "../../domain/notifications/settings.js";
import type { Problem } from "../../errors.js";
import type { Acting } from "../acting.js";
import { ActionError, requireVersion } from "../action-error.js";

/** How a person is told of things. */
export interface Preferences {
  readonly settings: NotificationSettings;
  readonly version: number;
  /** What the webhook's requests are signed with, if it was just made. It cannot be read again. */
  readonly webhookSecret: string | null;
}

/** The preferences of a row, with whether e-mails can be sent at all. */
export function describePreferences(
  { outbound }: Pick<Resources, "outbound">,
  { changed, version }: PreferencesRow,
  webhookSecret: string | null = null,
): Preferences {
  const { channels, ...others } = completeSettings(changed);
  const email = { ...channels.email, deliverable: outbound.mailer !== null };
  return { settings: { channels: { ...channels, email }, ...others }, version, webhookSecret };
}

/**
 * Changes the acting person's preferences by a JSON merge patch. A webhook's URL, also the one that is there, makes a new
 * secret. Throws ActionError for everything that is wrong with the patch, and for another version.
 */
export async function changePreferences(
  { resources, person, writer }: Acting,
  patch: unknown,
  expectedVersion: number | null | undefined,
): Promise<Preferences> {
  const { url } = completeSettings(patchSettings({}, patch).changed).channels.webhook;
  // Resolving the name takes time, so it is done before anything is locked.
  const urlFault = url === null ? undefined : await resources.outbound.webhooks.findFault(url);
  return write(resources.database, writer, async (sql) => {
    const there = await lockPreferences(sql, person.user.id);
    requireVersion("preferences", there.version, expectedVersion);
    const { changed, faults } = patchSettings(there.changed, patch);
    const problems = faults.map(describeFault);
    if (urlFault) problems.push({ path: "channels.webhook.url", message: urlFault });
    requireNone(problems);
    const secret = url === null ? null : generateToken("webhook");
    const hasUrl = completeSettings(changed).channels.webhook.url !== null;
    const kept = hasUrl ? there.webhookSecret : null;
    const webhookSecret = secret === null ? kept : seal(secret, resources.pepper);
    const version = await updatePreferences(sql, person.user.id, { changed, webhookSecret });
    return describePreferences(resources, { changed, version, webhookSecret }, secret);
  });
}

/** The most characters of a value that a message shows. */
const LONGEST_VALUE = 60;

function describeFault({ path, expectation, given }: PatchFault): Problem {
  const text = JSON.stringify(given) ?? "nothing";
  const shown = Array.isArray(given) ? "a list" : typeof given === "object" ? "an object" : text;
  return {
    path,
    message: `${expectation}, got ${shown.length > LONGEST_VALUE ? "something longer" : shown}`,
  };
}

function requireNone(problems: readonly Problem[]): void {
  if (problems.length === 0) return;
  const told = problems.slice(0, 10).map(({ path, message }) => `${path || "The patch"}: ${message}.`);
  if (problems.length > 10) told.push(`And ${problems.length - 10} more.`);
  throw new ActionError("VALIDATION_FAILED", "preferences", told.join(" "), problems);
}
