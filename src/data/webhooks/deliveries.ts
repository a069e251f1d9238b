import { Prisma } from "../../generated/prisma/client.js";
import { countRows, type Page, type PageRequest, readPage } from "../tenant/keyset.js";
import type { TenantReader } from "../tenant/reader.js";
import { own } from "../tenant/sources.js";

export type DeliveryStatus = "pending" | "delivered" | "failed";

/** The delivery of an event to an endpoint. */
export interface DeliveryRow {
  readonly id: string;
  readonly eventId: string;
  readonly type: string;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly lastStatus: number | null;
  readonly lastError: string | null;
  readonly lastAttemptAt: Date | null;
  readonly nextAttemptAt: Date | null;
}

/** Filter on the deliveries of an endpoint. Omitted conditions match everything. */
export interface DeliveryFilter {
  readonly endpointId: string;
  readonly status?: DeliveryStatus | null | undefined;
  readonly type?: string | null | undefined;
}

const COLUMNS = Prisma.sql`d.id, d.event_id AS "eventId", d.type, d.status, d.attempts, d.last_status AS "lastStatus",
  d.last_error AS "lastError", d.last_attempt_at AS "lastAttemptAt", d.next_attempt_at AS "nextAttemptAt"`;

const listed = ({ endpointId, status, type }: DeliveryFilter) => ({
  from: Prisma.sql`${own.webhook_deliveries} AS d`,
  where: [
    Prisma.sql`d.endpoint_id = ${endpointId}::uuid`,
    ...(status ? [Prisma.sql`d.status = ${status}`] : []),
    ...(type ? [Prisma.sql`d.type = ${type}`] : []),
  ],
});

/** Reads a page of the deliveries of an endpoint, latest event first. */
export const listDeliveries = (
  tenant: TenantReader,
  filter: DeliveryFilter,
  page: PageRequest,
): Promise<Page<DeliveryRow>> =>
  readPage(
    tenant,
    {
      select: COLUMNS,
      ...listed(filter),
      order: { columns: [["d.seq", "bigint"]], descending: true },
      isIndexed: true,
    },
    page,
  );

export const countDeliveries = (tenant: TenantReader, filter: DeliveryFilter): Promise<number> =>
  countRows(tenant, listed(filter));

/** Finds a delivery of an endpoint; null if it does not exist. */
export async function findDelivery(
  tenant: TenantReader,
  endpointId: string,
  id: string,
): Promise<DeliveryRow | null> {
  const [row] = await tenant.query<DeliveryRow>(
    Prisma.sql`SELECT ${COLUMNS} FROM ${own.webhook_deliveries} AS d
      WHERE d.endpoint_id = ${endpointId}::uuid AND d.id = ${id}::uuid`,
  );
  return row ?? null;
}
