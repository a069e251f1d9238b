import type { Organization } from "../generated/prisma/client.js";
import type { Database } from "./database.js";

export function findOrganization({ prisma }: Database, slug: string): Promise<Organization | null> {
  return prisma.organization.findUnique({ where: { slug } });
}

/** Organizations by slug. */
export function listOrganizations({ prisma }: Database): Promise<Organization[]> {
  return prisma.organization.findMany({ orderBy: { slug: "asc" } });
}

export function insertOrganization({ prisma }: Database, slug: string, name: string): Promise<Organization> {
  return prisma.organization.create({ data: { slug, name } });
}

/** Whether the database holds no organization and no reference data yet. */
export async function isEmpty({ prisma }: Database): Promise<boolean> {
  const found = await Promise.all([
    prisma.organization.findFirst({ select: { id: true } }),
    prisma.benchmark.findFirst({ select: { id: true } }),
    prisma.marketPrice.findFirst({ select: { id: true } }),
  ]);
  return found.every((row) => row === null);
}
