import type { RequestTime } from "../../time-limit.js";
import type { Database } from "../database/types.js";
import type { KeysetOrder } from "../tenant/keyset.js";
import type { TenantReader } from "../tenant/reader.js";

/** What reads pages of tables that the tenant reader does not have: their statements name the organization themselves. */
export type RowReader = Pick<TenantReader, "query">;

/** Makes what reads rows of an organization's people for one request. Nothing is cached. */
export function createRowReader(database: Database, organizationId: string, time: RequestTime): RowReader {
  return {
    query: ({ text, values }) =>
      time.inTime((msLeft) => database.select(text, values, { ownerId: organizationId, msLeft })),
  };
}

/** The order of rows by when they were created, and by an id. */
export const oldestFirst = (createdAt: string, id: string): KeysetOrder => ({
  // As seconds, which are the same text in every time zone.
  columns: [
    [`extract(epoch FROM ${createdAt})`, "numeric"],
    [id, "uuid"],
  ],
  descending: false,
});

/** The same, latest first. */
export const newestFirst = (createdAt: string, id: string): KeysetOrder => ({
  ...oldestFirst(createdAt, id),
  descending: true,
});
