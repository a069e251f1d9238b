import { FAILING_AFTER } from "../../domain/webhooks/endpoint-health.js";
import { Prisma } from "../../generated/prisma/client.js";
import { countRows, oldestFirst, type Page, type PageRequest, readPage } from "../tenant/keyset.js";
import type { TenantReader } from "../tenant/reader.js";
import { own } from "../tenant/sources.js";

/** A webhook endpoint, without its secrets. */
export interface EndpointRow {
  readonly id: string;
  readonly url: string;
  readonly types: readonly string[];
  readonly description: string | null;
  readonly format: "json" | "cloudevents";
  readonly status: "enabled" | "failing" | "disabled";
  readonly disabledReason: "request" | "gone" | "unreachable" | null;
  /** Time until which the previous secret is also valid; null without one. */
  readonly secretExpiresAt: Date | null;
  readonly createdBy: string | null;
  readonly createdAt: Date;
  readonly version: number;
}

const COLUMNS = Prisma.sql`e.id, e.url, e.types, e.description, e.format, e.disabled_reason AS "disabledReason",
  e.overlap_ends_at AS "secretExpiresAt", e.created_by AS "createdBy", e.created_at AS "createdAt", e.version,
  CASE WHEN e.disabled_at IS NOT NULL THEN 'disabled' WHEN e.failures >= ${FAILING_AFTER}::integer THEN 'failing'
    ELSE 'enabled' END AS status`;

const listed = { from: Prisma.sql`${own.webhook_endpoints} AS e`, where: [] };

/** Reads a page of the tenant's endpoints, oldest first. */
export const listEndpoints = (tenant: TenantReader, page: PageRequest): Promise<Page<EndpointRow>> =>
  readPage(tenant, { select: COLUMNS, ...listed, order: oldestFirst("e.created_at", "e.id") }, page);

export const countEndpoints = (tenant: TenantReader): Promise<number> => countRows(tenant, listed);

export async function findEndpoint(tenant: TenantReader, id: string): Promise<EndpointRow | null> {
  const [row] = await tenant.query<EndpointRow>(
    Prisma.sql`SELECT ${COLUMNS} FROM ${own.webhook_endpoints} AS e WHERE e.id = ${id}::uuid`,
  );
  return row ?? null;
}
