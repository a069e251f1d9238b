import {
  type AnnouncementRow,
  type AnnouncementValues,
  insertAnnouncement,
  insertDismissal,
  listActive,
  lockAnnouncement,
  type ReadAnnouncementRow,
  removeAnnouncement,
  updateAnnouncement,
} from "../../data/announcements/announcements.js";
import { write } from "../../data/database/transaction.js";
import type { AnnouncementLevel, Audience } from "../../domain/announcements/announcement.js";
import { TEXT_LIMITS } from "../../domain/texts/text-limits.js";
import { ActionError, InvalidInput, requireFound, requireValid, requireVersion } from "../action-error.js";
import type { ActorContext, PersonContext } from "../actor-context.js";
import { changesNothing } from "../idempotency.js";
import { readLines, readText } from "../read-text.js";
import { type GivenAudience, readAudience, requireOrganizations } from "./audience.js";

const SUBJECT = "announcement";
const EVERYONE: Audience = { kind: "all", values: [] };

/** Values that a super admin sets. An omitted value is unchanged; null for `endsAt` removes the end. */
export interface AnnouncementInput extends GivenAudience {
  readonly title?: string | null | undefined;
  readonly bodyMarkdown?: string | null | undefined;
  readonly level?: AnnouncementLevel | null | undefined;
  readonly startsAt?: Date | null | undefined;
  readonly endsAt?: Date | null | undefined;
  readonly isDismissible?: boolean | null | undefined;
}

/** Applies the input to the current values. Throws InvalidInput, or one ActionError for several faults. */
function applyInput(given: AnnouncementInput, current: AnnouncementValues): AnnouncementValues {
  const startsAt = given.startsAt ?? current.startsAt;
  const endsAt = given.endsAt === undefined ? current.endsAt : given.endsAt;
  const [title, body, audience] = requireValid(
    () => (given.title == null ? current.title : readText(SUBJECT, "title", given.title, TEXT_LIMITS.title)),
    () =>
      given.bodyMarkdown == null
        ? current.body
        : readLines(SUBJECT, "bodyMarkdown", given.bodyMarkdown, TEXT_LIMITS.body),
    () => readAudience(given, current.audience),
    () => requireOrder(startsAt, endsAt),
  );
  const { level, isDismissible } = given;
  return {
    title,
    body,
    audience,
    startsAt,
    endsAt,
    level: level ?? current.level,
    isDismissible: isDismissible ?? current.isDismissible,
  };
}

function requireOrder(startsAt: Date, endsAt: Date | null): void {
  if (endsAt === null || endsAt > startsAt) return;
  const [start, end] = [startsAt, endsAt].map((time) => time.toISOString());
  throw new InvalidInput(SUBJECT, "endsAt", `must be after the start, ${start} (got ${end})`);
}

/** Creates an announcement. By default, it starts immediately. Throws InvalidInput. */
export function createAnnouncement(
  { resources, writer, now }: ActorContext,
  input: AnnouncementInput,
): Promise<AnnouncementRow> {
  const values = applyInput(input, {
    title: "",
    body: "",
    level: "info",
    startsAt: now,
    endsAt: null,
    isDismissible: true,
    audience: EVERYONE,
  });
  return write(resources.database, writer, async (sql) => {
    await requireOrganizations(sql, values.audience, EVERYONE);
    return insertAnnouncement(sql, values);
  });
}

/** Changes the given values. Throws InvalidInput, NOT_FOUND, and CONFLICT if the version is not the expected one. */
export function changeAnnouncement(
  { resources, writer }: ActorContext,
  id: string,
  patch: AnnouncementInput,
  expectedVersion: number | null | undefined,
): Promise<AnnouncementRow> {
  if (Object.keys(patch).length === 0) {
    throw new InvalidInput(SUBJECT, null, "Nothing to change: give at least one value of the announcement.");
  }
  return write(resources.database, writer, async (sql) => {
    const current = requireFound(await lockAnnouncement(sql, id), SUBJECT, id);
    const values = applyInput(patch, current);
    await requireOrganizations(sql, values.audience, current.audience);
    if (changesNothing(current, values)) return current;
    requireVersion(SUBJECT, current.version, expectedVersion);
    return updateAnnouncement(sql, id, values);
  });
}

/**
 * Deletes an announcement and returns its last state. Throws NOT_FOUND, and CONFLICT if the version is not the expected
 * one.
 */
export function deleteAnnouncement(
  { resources, writer }: ActorContext,
  id: string,
  expectedVersion: number | null | undefined,
): Promise<AnnouncementRow> {
  return write(resources.database, writer, async (sql) => {
    const current = requireFound(await lockAnnouncement(sql, id), SUBJECT, id);
    requireVersion(SUBJECT, current.version, expectedVersion);
    await removeAnnouncement(sql, id);
    return current;
  });
}

/**
 * Dismisses an announcement for the user. Throws NOT_FOUND unless it is active for them, and CONFLICT if it is not
 * dismissible.
 */
export async function dismissAnnouncement(
  { resources, tenant, writer, person, now }: PersonContext,
  id: string,
): Promise<ReadAnnouncementRow> {
  const [found] = await listActive(tenant, person.role, now, id);
  const announcement = requireFound(found, SUBJECT, id);
  if (!announcement.isDismissible) {
    throw new ActionError("CONFLICT", SUBJECT, "This announcement cannot be dismissed.", "isDismissible");
  }
  await write(resources.database, writer, (sql) => insertDismissal(sql, id, person.user.id, now));
  return { ...announcement, isDismissed: true };
}
