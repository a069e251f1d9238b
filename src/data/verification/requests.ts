import type { EmissionScope } from "../../domain/enums.js";
import type { ScopeTotal } from "../../domain/verification/statement.js";
import type { AssuranceLevel, Opinion, VerificationStatus } from "../../domain/verification/states.js";
import type { IsoDate } from "../../domain/window.js";
import { Prisma } from "../../generated/prisma/client.js";
import type { RowReader } from "../people/rows.js";
import {
  countRows,
  isOneOf,
  type KeysetOrder,
  type Page,
  type PageRequest,
  readPage,
  whereAll,
} from "../tenant/keyset.js";
import { CERTIFICATE, type CertificateRow } from "./certificates.js";

/** The records of a request as they were submitted. Amounts are plain decimals. */
export interface SnapshotRow {
  readonly number: number;
  /** ISO 8601. */
  readonly takenAt: string;
  readonly recordCount: number;
  readonly totals: readonly ScopeTotal[];
  readonly digest: string;
}

/** A request, with its latest snapshot and its latest certificate. */
export interface RequestRow {
  readonly id: string;
  readonly organizationId: string;
  readonly organizationSlug: string;
  readonly organizationName: string;
  readonly number: string;
  readonly periodFrom: IsoDate;
  readonly periodTo: IsoDate;
  readonly scopes: readonly EmissionScope[];
  readonly level: AssuranceLevel;
  /** A plain decimal. */
  readonly materialityPct: string;
  readonly verifierEmail: string;
  /** Null before the review begins. */
  readonly verifierName: string | null;
  readonly status: VerificationStatus;
  readonly opinion: Opinion | null;
  readonly statement: string | null;
  readonly createdAt: Date;
  readonly version: number;
  readonly snapshot: SnapshotRow | null;
  readonly certificate: CertificateRow | null;
}

/** The columns of a snapshot as JSON, from `verification_snapshots AS s`. */
export const SNAPSHOT = `json_build_object('number', s.number, 'recordCount', s.record_count, 'totals', s.totals, 'digest', s.digest,
  'takenAt', to_char(s.taken_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))`;

const REQUEST =
  Prisma.raw(`r.id, r.organization_id AS "organizationId", o.slug AS "organizationSlug", o.name AS "organizationName",
  r.number, r.period_from::text AS "periodFrom", r.period_to::text AS "periodTo", to_json(r.scopes) AS scopes, r.level::text AS level,
  trim_scale(r.materiality_pct)::text AS "materialityPct", r.verifier_email AS "verifierEmail", u.name AS "verifierName",
  r.status::text AS status, r.opinion::text AS opinion, r.statement, r.created_at AS "createdAt", r.version,
  latest.snapshot, issued.certificate`);

const REQUESTS = Prisma.raw(`verification_requests AS r JOIN organizations AS o ON o.id = r.organization_id
  LEFT JOIN users AS u ON u.id = r.verifier_id
  LEFT JOIN LATERAL (SELECT ${SNAPSHOT} AS snapshot FROM verification_snapshots AS s
    WHERE s.organization_id = r.organization_id AND s.request_id = r.id ORDER BY s.number DESC LIMIT 1) AS latest ON true
  LEFT JOIN LATERAL (SELECT row_to_json(last) AS certificate FROM (SELECT ${CERTIFICATE} FROM certificates AS c
    WHERE c.organization_id = r.organization_id AND c.request_id = r.id ORDER BY c.issued_at DESC, c.number DESC LIMIT 1) AS last)
    AS issued ON true`);

const LATEST_FIRST: KeysetOrder = {
  // As seconds, which are the same text in every time zone.
  columns: [
    ["extract(epoch FROM r.created_at)", "numeric"],
    ["r.id", "uuid"],
  ],
  descending: true,
};

/** Which requests: those of an organization, or those that somebody is asked to verify and that were submitted. */
export type Whose = { readonly organizationId: string } | { readonly verifierEmail: string };

const conditionsOf = (whose: Whose): Prisma.Sql[] =>
  "organizationId" in whose
    ? [Prisma.sql`r.organization_id = ${whose.organizationId}::uuid`]
    : [
        Prisma.sql`lower(r.verifier_email) = lower(${whose.verifierEmail}::text COLLATE "C")`,
        Prisma.sql`EXISTS (SELECT FROM verification_snapshots AS s
          WHERE s.organization_id = r.organization_id AND s.request_id = r.id)`,
      ];

/** A request by its id; null if it is not one of theirs. */
export async function findRequest(rows: RowReader, whose: Whose, id: string): Promise<RequestRow | null> {
  const where = whereAll([...conditionsOf(whose), Prisma.sql`r.id = ${id}::uuid`]);
  const [request] = await rows.query<RequestRow>(Prisma.sql`SELECT ${REQUEST} FROM ${REQUESTS} ${where}`);
  return request ?? null;
}

const listed = (whose: Whose, statuses: readonly VerificationStatus[] | null) => ({
  from: REQUESTS,
  where: [...conditionsOf(whose), ...isOneOf("r.status", "verification_status", statuses)],
});

/** A page of requests, latest first. Null for any status. */
export const listRequests = (
  rows: RowReader,
  whose: Whose,
  statuses: readonly VerificationStatus[] | null,
  page: PageRequest,
): Promise<Page<RequestRow>> =>
  readPage(rows, { select: REQUEST, ...listed(whose, statuses), order: LATEST_FIRST }, page);

/** The number of requests. */
export const countRequests = (
  rows: RowReader,
  whose: Whose,
  statuses: readonly VerificationStatus[] | null,
): Promise<number> => countRows(rows, listed(whose, statuses));
