import { randomUUID } from "node:crypto";
import { readChain, type StoredEntry } from "../../src/data/audit/chain.js";
import type { Database } from "../../src/data/database/types.js";

/** The content of an audit entry, parsed. */
export interface AuditEntry {
  readonly seq: number;
  readonly action: string;
  readonly actor: { readonly id: string | null; readonly type: string };
  readonly changes: Readonly<Record<string, unknown>>;
  readonly request_id: string | null;
  readonly target: { readonly id: string | null; readonly type: string };
}

/** Returns a chain's stored entries, oldest first; null means the platform's chain. */
export async function listChain(database: Database, organizationId: string | null): Promise<StoredEntry[]> {
  const entries: StoredEntry[] = [];
  for await (const entry of readChain(database, organizationId, { after: 0, last: Number.MAX_SAFE_INTEGER }))
    entries.push(entry);
  return entries;
}

/** Returns a chain's parsed entries, oldest first; null means the platform's chain. */
export async function readAuditTrail(
  database: Database,
  organizationId: string | null,
): Promise<AuditEntry[]> {
  const entries = await listChain(database, organizationId);
  return entries.map(({ entry }) => JSON.parse(entry) as AuditEntry);
}

/** Adds an organization, whose creation is the first entry of its chain; returns its id. */
export async function addOrganization({ prisma }: Pick<Database, "prisma">, name = "Acme"): Promise<string> {
  const { id } = await prisma.organization.create({ data: { slug: `a-${randomUUID().slice(0, 20)}`, name } });
  return id;
}

/** Returns 64 random hexadecimal digits, like a hash. */
export const anyHash = () => (randomUUID() + randomUUID()).replaceAll("-", "");

/** Adds a user; returns the id. */
export async function addUser({ prisma }: Pick<Database, "prisma">): Promise<string> {
  const { id } = await prisma.user.create({
    data: { email: `${randomUUID()}@example.org`, name: "Ada Person", emailConfirmedAt: new Date() },
  });
  return id;
}
