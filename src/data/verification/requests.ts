import type { EmissionScope } from "../../domain/enums.js";
import type { ScopeTotal } from "../../domain/verification/statement.js";
import type { AssuranceLevel, Opinion, VerificationStatus } from "../../domain/verification/states.js";
import type { IsoDate } from "../../domain/window.js";
import { Prisma } from "../../generated/prisma/client.js";
import { timeSql } from "../database/time-sql.js";
import type { IssueRow } from "../inventory/issues.js";
import { countRows, isOneOf, newestFirst, type Page, type PageRequest, readPage } from "../tenant/keyset.js";
import type { TenantReader } from "../tenant/reader.js";
import { mine, own } from "../tenant/sources.js";
import type { CertificateRow } from "./certificates.js";

/** A snapshot of a request's records at submission. Amounts are plain decimals. */
export interface SnapshotRow {
  readonly number: number;
  /** ISO 8601. */
  readonly takenAt: string;
  readonly recordCount: number;
  readonly totals: readonly ScopeTotal[];
  readonly digest: string;
}

/** The verifier of a request. Until an account accepts it, only the e-mail address from the organization is known. */
export interface VerifierRow {
  readonly email: string;
  /** True if the user has confirmed the address. */
  readonly isEmailConfirmed: boolean;
  readonly name: string | null;
  /** ISO 8601. */
  readonly accountCreatedAt: string | null;
  /** Name of the organization for which the user accepted; null without one. */
  readonly organization: string | null;
  /** ISO 8601. */
  readonly acceptedAt: string | null;
  /** ISO 8601; null until the organization confirms the verifier. */
  readonly confirmedAt: string | null;
}

/** The inventory issue that a request is about. */
export interface VerifiedIssueRow extends Omit<IssueRow, "issuedAt"> {
  /** ISO 8601. */
  readonly issuedAt: string;
}

/** A request with its latest snapshot and certificate. */
export interface RequestRow {
  readonly id: string;
  /** True if the caller is its verifier. */
  readonly isAssigned: boolean;
  readonly organizationId: string;
  readonly organizationSlug: string;
  readonly organizationName: string;
  readonly number: string;
  readonly periodFrom: IsoDate;
  readonly periodTo: IsoDate;
  readonly scopes: readonly EmissionScope[];
  /** The inventory issue to verify; null if only records are verified. */
  readonly inventory: VerifiedIssueRow | null;
  readonly level: AssuranceLevel;
  /** A plain decimal. */
  readonly materialityPercent: string;
  /** The address given by the organization. */
  readonly verifierEmail: string;
  readonly verifier: VerifierRow;
  /** Expiry of the unused verifier link; null without a link. */
  readonly verifierLinkExpiresAt: Date | null;
  readonly status: VerificationStatus;
  readonly opinion: Opinion | null;
  readonly statement: string | null;
  readonly createdAt: Date;
  readonly version: number;
  readonly snapshot: SnapshotRow | null;
  readonly certificate: CertificateRow | null;
}

/** Condition that an account can still accept `verification_requests AS r` through its link. */
export const IS_ACCEPTABLE = "r.verifier_id IS NULL AND r.status IN ('submitted', 'changes_requested')";

const REQUEST =
  Prisma.raw(`r.id, r.organization_id AS "organizationId", r.organization_slug AS "organizationSlug",
  r.organization_name AS "organizationName", r.number, r.period_from::text AS "periodFrom", r.period_to::text AS "periodTo",
  to_json(r.scopes) AS scopes, r.inventory, r.level::text AS level, trim_scale(r.materiality_pct)::text AS "materialityPercent",
  r.verifier_email AS "verifierEmail",
  json_build_object('email', coalesce(r.account_email, r.verifier_email), 'isEmailConfirmed', r.account_confirmed_at IS NOT NULL,
    'name', r.account_name, 'accountCreatedAt', ${timeSql("r.account_created_at")}, 'organization', r.account_organization,
    'acceptedAt', ${timeSql("r.verifier_accepted_at")}, 'confirmedAt', ${timeSql("r.verifier_confirmed_at")}) AS verifier,
  CASE WHEN ${IS_ACCEPTABLE} THEN r.verifier_link_expires_at END AS "verifierLinkExpiresAt",
  r.status::text AS status, r.opinion::text AS opinion, r.statement, r.created_at AS "createdAt", r.version,
  r.snapshot, r.certificate`);

/**
 * `own`: the requests of the caller's organization. `assigned`: those of other organizations that the caller verifies.
 */
export type RequestList = "own" | "assigned";

const SOURCES = { own: own.verification_requests, assigned: mine.verification_requests };
const select = (list: RequestList) => Prisma.sql`${REQUEST}, ${list === "assigned"}::boolean AS "isAssigned"`;

/** Finds the organization of a request assigned to the caller; null without such a request. */
export async function findOrganizationOfAssignment(tenant: TenantReader, id: string): Promise<string | null> {
  const [found] = await tenant.query<{ organizationId: string }>(
    Prisma.sql`SELECT r.organization_id AS "organizationId" FROM ${SOURCES.assigned} AS r WHERE r.id = ${id}::uuid`,
  );
  return found?.organizationId ?? null;
}

/** Finds a request in a list; null if the list does not contain it. */
export async function findRequest(
  tenant: TenantReader,
  list: RequestList,
  id: string,
): Promise<RequestRow | null> {
  const [request] = await tenant.query<RequestRow>(
    Prisma.sql`SELECT ${select(list)} FROM ${SOURCES[list]} AS r WHERE r.id = ${id}::uuid`,
  );
  return request ?? null;
}

const listed = (list: RequestList, statuses: readonly VerificationStatus[] | null) => ({
  from: Prisma.sql`${SOURCES[list]} AS r`,
  where: isOneOf("r.status", "verification_status", statuses),
});

/** Reads a page of requests, latest first; with any status if `statuses` is null. */
export const listRequests = (
  tenant: TenantReader,
  list: RequestList,
  statuses: readonly VerificationStatus[] | null,
  page: PageRequest,
): Promise<Page<RequestRow>> =>
  readPage(
    tenant,
    { select: select(list), ...listed(list, statuses), order: newestFirst("r.created_at", "r.id") },
    page,
  );

export const countRequests = (
  tenant: TenantReader,
  list: RequestList,
  statuses: readonly VerificationStatus[] | null,
): Promise<number> => countRows(tenant, listed(list, statuses));
