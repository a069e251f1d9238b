import type { EmissionScope } from "../../domain/enums.js";
import type {
  FindingSeverity,
  VerificationParty,
  VerificationStatus,
} from "../../domain/verification/states.js";
import type { IsoDate } from "../../domain/window.js";
import { Prisma } from "../../generated/prisma/client.js";
import { countRows, isOneOf, isWithin, type Page, type PageRequest, readPage } from "../tenant/keyset.js";
import type { TenantReader } from "../tenant/reader.js";
import { own } from "../tenant/sources.js";
import type { RequestRow } from "./requests.js";

export interface FindingRow {
  readonly id: string;
  readonly snapshotNumber: number;
  readonly recordId: string | null;
  readonly text: string;
  readonly severity: FindingSeverity;
  /** A plain decimal. */
  readonly misstatementTonnes: string | null;
  readonly createdAt: Date;
}

export const FINDING_COLUMNS = `id, snapshot_number AS "snapshotNumber", record_id AS "recordId", text, severity::text AS severity,
  trim_scale(misstatement_tonnes)::text AS "misstatementTonnes", created_at AS "createdAt"`;

// `tenant` is always the organization that requested verification, even if the verifier is reading.

/** Lists the findings of a request, latest first. */
export const listFindings = (
  tenant: TenantReader,
  { id }: Pick<RequestRow, "id">,
  limit: number,
): Promise<readonly FindingRow[]> =>
  tenant.query(Prisma.sql`SELECT ${Prisma.raw(FINDING_COLUMNS)} FROM ${own.verification_findings} AS f
    WHERE request_id = ${id}::uuid ORDER BY created_at DESC, id LIMIT ${limit}`);

export interface StatusChangeRow {
  readonly fromStatus: VerificationStatus | null;
  readonly status: VerificationStatus;
  readonly changedBy: VerificationParty;
  readonly changedAt: Date;
  readonly note: string | null;
}

/** Lists a request's changes of status, latest first. */
export const listStatusChanges = (
  tenant: TenantReader,
  { id }: Pick<RequestRow, "id">,
  limit: number,
): Promise<readonly StatusChangeRow[]> =>
  tenant.query(Prisma.sql`SELECT from_status::text AS "fromStatus", status::text AS status, changed_by::text AS "changedBy",
      changed_at AS "changedAt", note FROM ${own.verification_status_changes} AS c
    WHERE request_id = ${id}::uuid ORDER BY seq DESC LIMIT ${limit}`);

export interface VerifiedRecordRow {
  readonly id: string;
  readonly reference: string | null;
  readonly recordedOn: IsoDate;
  readonly scope: EmissionScope;
  /** A decimal with six places. */
  readonly co2eTonnesExact: string;
  readonly facilityCode: string | null;
  readonly category: string | null;
  readonly source: string | null;
  readonly note: string | null;
}

const RECORD = Prisma.raw(`r.id, r.reference, r.recorded_on::text AS "recordedOn", r.scope::text AS scope,
  r.co2e_tonnes::text AS "co2eTonnesExact", f.code AS "facilityCode", r.category, r.source, r.note`);

const listed = ({ periodFrom, periodTo, scopes }: RequestRow) => ({
  from: Prisma.sql`${own.emission_records} AS r LEFT JOIN ${own.facilities} AS f ON f.id = r.facility_id`,
  where: [
    ...isWithin("r.recorded_on", { from: periodFrom, to: periodTo }),
    ...isOneOf("r.scope", "emission_scope", scopes),
  ],
});

/** Reads a page of the records that a request covers, by id. */
export const listVerifiedRecords = (
  tenant: TenantReader,
  request: RequestRow,
  page: PageRequest,
): Promise<Page<VerifiedRecordRow>> =>
  readPage(
    tenant,
    {
      select: RECORD,
      ...listed(request),
      isIndexed: true,
      order: { columns: [["r.id", "uuid"]], descending: false },
    },
    page,
  );

export const countVerifiedRecords = (tenant: TenantReader, request: RequestRow): Promise<number> =>
  countRows(tenant, listed(request));
