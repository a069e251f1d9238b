import type { KeyEvent } from "../../generated/prisma/client.js";
import type { Database, SqlSession } from "../database/types.js";

/** Changed values of a key, before or after an event, by name. */
export type KeyEventValues = Readonly<Record<string, string | readonly string[] | null>>;

/** Makes the trail of key events record this transaction as a rotation. Both arguments are ids of keys. */
export async function recordRotation(sql: SqlSession, replaced: string, replacement: string): Promise<void> {
  await sql.query("SELECT set_config('gateway.rotation', $1, true)", [`${replaced} ${replacement}`]);
}

/** Lists the events of a key, oldest first. */
export function listKeyEvents({ prisma }: Database, keyId: string): Promise<KeyEvent[]> {
  return prisma.keyEvent.findMany({ where: { keyId }, orderBy: { id: "asc" } });
}

/**
 * Lists the events of an organization's keys, oldest first. Also finds a deleted organization by its slug. Null if no
 * organization has this slug, and none with it ever had keys.
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
