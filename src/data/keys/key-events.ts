import type { KeyEvent } from "../../generated/prisma/client.js";
import type { Database, SqlSession } from "../database/types.js";

/** Values of a key before or after an event, by name. */
export type KeyEventValues = Readonly<Record<string, string | readonly string[] | null>>;

/** Tells the trail that the rest of this transaction replaces one key by another; both are ids. */
export async function recordRotation(sql: SqlSession, replaced: string, replacement: string): Promise<void> {
  await sql.query("SELECT set_config('gateway.rotation', $1, true)", [`${replaced} ${replacement}`]);
}

/** The id of the key that replaced a key in a rotation; undefined if none did. */
export async function findReplacement(database: Database, keyId: string): Promise<string | undefined> {
  return replacementsIn(await listKeyEvents(database, keyId)).get(keyId);
}

/** The ids of replacements by the ids of the rotated keys: in one organization, or in all. */
export async function listReplacements(
  { prisma }: Database,
  organizationId: string | undefined,
): Promise<ReadonlyMap<string, string>> {
  const where = { kind: "rotated", ...(organizationId !== undefined && { organizationId }) };
  return replacementsIn(await prisma.keyEvent.findMany({ where, orderBy: { id: "asc" } }));
}

function replacementsIn(events: readonly KeyEvent[]): Map<string, string> {
  return new Map(
    events.flatMap((event) => {
      const id = (event.new as KeyEventValues | null)?.["replaced_by"];
      return typeof id === "string" ? [[event.keyId, id]] : [];
    }),
  );
}

/** The events of a key, oldest first. */
export function listKeyEvents({ prisma }: Database, keyId: string): Promise<KeyEvent[]> {
  return prisma.keyEvent.findMany({ where: { keyId }, orderBy: { id: "asc" } });
}

/**
 * The events of an organization's keys, oldest first. A deleted organization is found by the slug that it had. Null if
 * there is no such organization and there never was one with keys.
 */
export async function listOrganizationKeyEvents(
  { prisma }: Database,
  slug: string,
): Promise<KeyEvent[] | null> {
  const organization = await prisma.organization.findUnique({ where: { slug }, select: { id: true } });
  const former = organization
    ? []
    : await prisma.keyEvent.findMany({ where: { organization: slug }, distinct: "organizationId" });
  const ids = organization ? [organization.id] : former.map(({ organizationId }) => organizationId);
  if (ids.length === 0) return null;
  const arrivals = ids.map((id) => ({ kind: "moved", new: { path: ["organization_id"], equals: id } }));
  return prisma.keyEvent.findMany({
    where: { OR: [{ organizationId: { in: ids } }, ...arrivals] },
    orderBy: { id: "asc" },
  });
}
