import type { EmissionScope } from "../../domain/enums.js";
import type { ScopeTotal } from "../../domain/verification/statement.js";
import type { AssuranceLevel, Opinion, VerificationStatus } from "../../domain/verification/states.js";
import type { IsoDate } from "../../domain/window.js";
import { Prisma } from "../../generated/prisma/client.js";
import { timeSql } from "../database/time-sql.js";
import type { Database } from "../database/types.js";
import { newestFirst, type RowReader } from "../people/rows.js";
import { countRows, isOneOf, type Page, type PageRequest, readPage, whereAll } from "../tenant/keyset.js";
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

/** The account that accepted a request. Until then, only the e-mail address that the organization gave is known. */
export interface VerifierRow {
  readonly email: string;
  /** True if the person has proved to receive mail at the address. */
  readonly isEmailConfirmed: boolean;
  readonly name: string | null;
  /** ISO 8601. */
  readonly accountCreatedAt: string | null;
  /** Name of the organization that the person acted for; null without one. */
  readonly organization: string | null;
  /** ISO 8601. */
  readonly acceptedAt: string | null;
  /** ISO 8601; null until the organization confirms the verifier. */
  readonly confirmedAt: string | null;
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
  /** The address that the organization gave. */
  readonly verifierEmail: string;
  readonly verifier: VerifierRow;
  /** Expiry of the unused verifier link; null without one. */
  readonly verifierLinkExpiresAt: Date | null;
  readonly status: VerificationStatus;
  readonly opinion: Opinion | null;
  readonly statement: string | null;
  readonly createdAt: Date;
  readonly version: number;
  readonly snapshot: SnapshotRow | null;
  readonly certificate: CertificateRow | null;
}

/** Latest snapshot of `verification_requests AS r` as JSON; null without one. */
export const LATEST_SNAPSHOT = `(SELECT json_build_object('number', s.number, 'recordCount', s.record_count, 'totals', s.totals,
    'digest', s.digest, 'takenAt', ${timeSql("s.taken_at")})
  FROM verification_snapshots AS s
  WHERE s.organization_id = r.organization_id AND s.request_id = r.id ORDER BY s.number DESC LIMIT 1) AS snapshot`;

const LATEST_CERTIFICATE = `(SELECT row_to_json(last) FROM (SELECT ${CERTIFICATE} FROM certificates AS c
  WHERE c.organization_id = r.organization_id AND c.request_id = r.id ORDER BY c.issued_at DESC, c.number DESC LIMIT 1) AS last)
  AS certificate`;

/** Condition on `verification_requests AS r`: its link, if it has one, binds the account that opens it. */
export const IS_ACCEPTABLE = "r.verifier_id IS NULL AND r.status IN ('submitted', 'changes_requested')";

// Subqueries run for the rows of the page only; lateral joins would run before it is cut.
const REQUEST =
  Prisma.raw(`r.id, r.organization_id AS "organizationId", o.slug AS "organizationSlug", o.name AS "organizationName",
  r.number, r.period_from::text AS "periodFrom", r.period_to::text AS "periodTo", to_json(r.scopes) AS scopes, r.level::text AS level,
  trim_scale(r.materiality_pct)::text AS "materialityPct", r.verifier_email AS "verifierEmail",
  json_build_object('email', coalesce(u.email, r.verifier_email), 'isEmailConfirmed', u.email_confirmed_at IS NOT NULL,
    'name', u.name, 'accountCreatedAt', ${timeSql("u.created_at")}, 'organization', vo.name, 'acceptedAt', ${timeSql("r.verifier_accepted_at")}, 'confirmedAt', ${timeSql("r.verifier_confirmed_at")}) AS verifier,
  CASE WHEN ${IS_ACCEPTABLE} THEN r.verifier_link_expires_at END AS "verifierLinkExpiresAt",
  r.status::text AS status, r.opinion::text AS opinion, r.statement, r.created_at AS "createdAt", r.version,
  ${LATEST_SNAPSHOT}, ${LATEST_CERTIFICATE}`);

const REQUESTS = Prisma.raw(`verification_requests AS r JOIN organizations AS o ON o.id = r.organization_id
  LEFT JOIN users AS u ON u.id = r.verifier_id LEFT JOIN organizations AS vo ON vo.id = r.verifier_organization_id`);

/** Selects the requests of an organization, or those whose confirmed verifier is an account. */
export type Whose = { readonly organizationId: string } | { readonly verifierId: string };

const conditionsOf = (whose: Whose): Prisma.Sql[] =>
  "organizationId" in whose
    ? [Prisma.sql`r.organization_id = ${whose.organizationId}::uuid`]
    : [
        Prisma.sql`r.verifier_id = ${whose.verifierId}::uuid`,
        Prisma.sql`r.verifier_confirmed_at IS NOT NULL`,
        // Somebody who becomes a member loses the right to verify.
        Prisma.sql`NOT EXISTS (SELECT FROM member_history AS m
          WHERE m.organization_id = r.organization_id AND m.user_id = r.verifier_id)`,
      ];

/** Finds the organization of a request whose confirmed verifier is an account; null without such a request. */
export async function findOrganizationOfAssignment(
  database: Database,
  verifierId: string,
  id: string,
): Promise<string | null> {
  const where = whereAll([...conditionsOf({ verifierId }), Prisma.sql`r.id = ${id}::uuid`]);
  const { text, values } =
    Prisma.sql`SELECT r.organization_id AS "organizationId" FROM verification_requests AS r ${where}`;
  const [found] = await database.select<{ organizationId: string }>(text, values);
  return found?.organizationId ?? null;
}

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
  readPage(
    rows,
    { select: REQUEST, ...listed(whose, statuses), order: newestFirst("r.created_at", "r.id") },
    page,
  );

/** The number of requests. */
export const countRequests = (
  rows: RowReader,
  whose: Whose,
  statuses: readonly VerificationStatus[] | null,
): Promise<number> => countRows(rows, listed(whose, statuses));
